-- Starting and restarting the server.
local client = require('hocket.client')
local compat = require('hocket.compat')
local options = require('hocket.config')

local M = {}

-- From 0.11 on Neovim's own vim.lsp.enable does it, so that :checkhealth vim.lsp
-- and the user's vim.lsp.config('hocket', ...) see it.
local native = vim.lsp.enable ~= nil and vim.lsp.config ~= nil

local function enable(bufnr)
  -- Neovim only logs that a command is missing; outside of modules nobody asks.
  local root = bufnr == nil or require('hocket.root').of_buffer(bufnr)
  if not root or not client.runnable(vim.lsp.config.hocket.cmd) then
    return
  end
  vim.lsp.enable('hocket')
  if vim.v.vim_did_enter == 0 then
    -- 0.11 leaves out the files of the command line if it is called this early.
    vim.api.nvim_create_autocmd('VimEnter', {
      once = true,
      callback = function()
        vim.lsp.enable('hocket')
      end,
    })
  end
end

local started = {} -- root → id of the client; known before it is initialized

local function attach(bufnr)
  local root = require('hocket.root').of_buffer(bufnr)
  if not root then
    return
  end
  local running = started[root] and vim.lsp.get_client_by_id(started[root])
  if not running or running.is_stopped() then
    local config = client.config()
    if not client.runnable(config.cmd) then
      return
    end
    config.root_dir = root
    started[root] = vim.lsp.start_client(config)
  end
  if started[root] then
    vim.lsp.buf_attach_client(bufnr, started[root])
  end
end

-- start starts the server of a buffer, or attaches to the one that runs.
function M.start(bufnr)
  if native then
    enable(bufnr)
  else
    attach(bufnr)
  end
end

-- auto is start for a file just opened.
function M.auto(bufnr)
  if options.get().auto_start then
    M.start(bufnr)
  end
end

-- when_gone calls fn when no client of these runs any more; the ones that don't
-- end when asked are killed after two seconds.
local function when_gone(clients, fn)
  local waited = 0
  local function look()
    local left = vim.tbl_filter(function(c)
      return vim.lsp.get_client_by_id(c.id) ~= nil
    end, clients)
    if #left == 0 then
      return fn()
    end
    waited = waited + 50
    if waited == 2000 then
      for _, c in ipairs(left) do
        client.stop(c, true)
      end
    end
    if waited < 5000 then
      compat.after(50, look)
    else
      fn()
    end
  end
  look()
end

-- stop ends all servers of this Neovim and the jobs that they run, then calls
-- done. The next Go file that is opened starts one again.
function M.stop(done)
  local running = compat.clients()
  for _, c in ipairs(running) do
    client.stop(c, false)
  end
  when_gone(running, done or function() end)
end

-- restart ends the servers and starts them for all Go files that are open.
function M.restart()
  M.stop(function()
    if native then
      enable()
    else
      for _, buf in ipairs(client.go_buffers()) do
        attach(buf)
      end
    end
  end)
end

return M
