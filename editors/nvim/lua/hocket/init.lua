-- What users may call. See :help hocket-lua.
local M = {}

local function hocket(...)
  require('hocket.cmdline').run({ args = table.concat({ ... }, ' '), mods = '' })
end

-- The subcommands of :Hocket as functions.
function M.find(entry)
  hocket('find', entry)
end

function M.from(file)
  hocket('from', file)
end

function M.replay(id)
  hocket('replay', id)
end

function M.explain(id)
  hocket('explain', id)
end

function M.list()
  hocket('list')
end

function M.cancel()
  hocket('cancel')
end

function M.hover()
  hocket('hover')
end

function M.restart()
  hocket('restart')
end

-- setup changes options; calling it is not necessary. Settings reach a running
-- server at once, the rest counts from the next start.
function M.setup(options)
  local config = require('hocket.config')
  config.set(options)
  options = options or {}
  if vim.lsp.config and (options.settings or options.cmd) then
    -- Neovim 0.11 and newer keeps the configuration once it was read.
    local settings = config.settings()
    vim.lsp.config('hocket', {
      cmd = options.cmd and require('hocket.client').command() or nil,
      settings = options.settings and settings or nil,
      init_options = options.settings and settings.hocket or nil,
    })
  end
  if not options.settings then
    return
  end
  local compat = require('hocket.compat')
  for _, client in ipairs(compat.clients()) do
    client.config.settings = config.settings()
    client.settings = client.config.settings
    compat.notify(client, 'workspace/didChangeConfiguration', { settings = client.config.settings })
  end
end

-- findings returns how many findings the problem list shows for a buffer.
local function findings(bufnr)
  local seen, n = {}, 0
  for _, d in ipairs(vim.diagnostic.get(bufnr)) do
    if d.source == 'hocket' then
      local lsp = type(d.user_data) == 'table' and d.user_data.lsp or {}
      local id = type(lsp.data) == 'table' and lsp.data.id or (d.lnum .. ':' .. d.message)
      if not seen[id] then
        seen[id], n = true, n + 1
      end
    end
  end
  return n
end

-- status is for a statusline: the job that runs, else the number of findings in
-- the current buffer; empty where there is no server.
function M.status()
  local compat = require('hocket.compat')
  local progress = require('hocket.progress')
  if #compat.clients(vim.api.nvim_get_current_buf()) == 0 then
    return ''
  end
  local job = progress.current()
  if job then
    local percent = job.percentage and job.percentage > 0 and (' %d%%'):format(job.percentage) or ''
    return ('hocket: %s%s'):format(job.title, percent)
  end
  local n = findings(vim.api.nvim_get_current_buf())
  return n == 0 and 'hocket' or ('hocket: %d finding%s'):format(n, n == 1 and '' or 's')
end

return M
