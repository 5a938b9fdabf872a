-- Which folder a server is started for: the nearest go.work, else go.mod, else
-- .git, from the file upwards.
local uv = require('hocket.compat').uv

local M = {}

local function up(dir, name)
  while true do
    if uv.fs_stat(dir .. '/' .. name) then
      return dir
    end
    local parent = vim.fn.fnamemodify(dir, ':h')
    if parent == dir then
      return nil
    end
    dir = parent
  end
end

-- library reports whether a file is of the module cache or of Go itself.
local function library(path)
  local gopath = vim.split(os.getenv('GOPATH') or vim.fn.expand('~/go'), ':', { plain = true })[1]
  local cache = os.getenv('GOMODCACHE') or (gopath .. '/pkg/mod')
  local places = { cache }
  local go = vim.fn.exepath('go')
  local goroot = os.getenv('GOROOT') or (go ~= '' and vim.fn.fnamemodify(vim.fn.resolve(go), ':h:h')) or nil
  if goroot and goroot ~= '/' then
    table.insert(places, goroot .. '/src')
  end
  for _, place in ipairs(places) do
    if vim.startswith(path, place .. '/') then
      return true
    end
  end
  return false
end

-- of returns the root of a file, or nil if it is in no module and no
-- repository. A library's file belongs to the server that is there already.
function M.of(path)
  if library(path) then
    local client = require('hocket.compat').clients()[1]
    return client and client.config.root_dir
  end
  local dir = vim.fn.fnamemodify(path, ':p:h')
  return up(dir, 'go.work') or up(dir, 'go.mod') or up(dir, '.git')
end

-- of_buffer returns the root of a buffer that holds a file on disk.
function M.of_buffer(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == '' or vim.bo[bufnr].buftype ~= '' or name:match('^%a[%w+.-]*://') then
    return nil
  end
  return M.of(vim.fn.fnamemodify(name, ':p'))
end

return M
