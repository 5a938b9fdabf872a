-- :checkhealth hocket
local compat = require('hocket.compat')

local M = {}

-- vim.health has these names since 0.10; the module "health" had others.
local function reporter()
  local h = vim.health or require('health')
  return {
    start = h.start or h.report_start,
    ok = h.ok or h.report_ok,
    info = h.info or h.report_info,
    warn = h.warn or h.report_warn,
    error = h.error or h.report_error,
  }
end

local function output(cmd)
  local text = vim.fn.system(cmd)
  return vim.v.shell_error == 0 and vim.trim(text) or nil
end

local function editor(report)
  local v = vim.version()
  local name = ('Neovim %d.%d.%d'):format(v.major, v.minor, v.patch)
  if not compat.has('0.7') then
    report.error(name .. ': Hocket needs 0.7 or newer')
  elseif vim.lsp.config then
    report.ok(name .. ', vim.lsp.enable("hocket")')
  else
    report.ok(name)
  end
end

local function binary(report)
  local cmd = require('hocket.client').command()
  if vim.fn.executable(cmd[1]) == 0 then
    report.error(("%s can't be run"):format(cmd[1]), {
      'go install github.com/hocket-dev/hocket/cmd/hocket@latest',
      "or vim.g.hocket = { cmd = { '/path/to/hocket', 'lsp' } }",
    })
    return
  end
  local path = vim.fn.exepath(cmd[1])
  local version = output({ cmd[1], 'version' })
  if version then
    report.ok(('%s: %s'):format(path, version:gsub('%s*\n%s*', ', ')))
  else
    report.error(('%s version fails'):format(path), { 'Is it Hocket? Run it in a terminal.' })
  end
end

local function go(report)
  if vim.fn.executable('go') == 0 then
    report.error('go is not in $PATH', { 'Hocket builds programs with it: install Go 1.26 or newer' })
    return
  end
  local version = output({ 'go', 'env', 'GOVERSION' })
  local minor = version and tonumber(version:match('^go1%.(%d+)'))
  if not minor then
    report.warn(('go says it is %s'):format(version or 'nothing'))
  elseif minor < 26 then
    report.warn(version .. ' is older than Hocket works with', { 'Install Go 1.26 or newer; `hocket doctor` says more' })
  else
    report.ok(('%s: %s'):format(vim.fn.exepath('go'), version))
  end
end

local function servers(report)
  local running = compat.clients()
  if #running == 0 then
    report.info('no server runs; one is started with the first Go file of a module (:Hocket restart starts it now)')
  end
  for _, c in ipairs(running) do
    local buffers = vim.tbl_count(c.attached_buffers or {})
    report.ok(('server %s for %s, %d buffer%s'):format(
      require('hocket.client').server_version(c), c.config.root_dir or '?', buffers, buffers == 1 and '' or 's'))
    if c.offset_encoding ~= 'utf-16' then
      report.warn(('positions in %s; gopls uses utf-16, and Neovim warns of mixed ones'):format(c.offset_encoding))
    end
  end
  report.info('log: ' .. compat.log_path())
end

local function beside(report)
  local all = vim.lsp.get_clients and vim.lsp.get_clients() or vim.lsp.get_active_clients()
  for _, c in ipairs(all) do
    if c.name == 'gopls' then
      report.ok('gopls runs beside')
      return
    end
  end
  report.info('gopls does not run; Hocket does not need it, and leaves completion, definitions and formatting to it')
end

function M.check()
  local report = reporter()
  report.start('hocket: what it needs')
  editor(report)
  binary(report)
  go(report)
  report.start('hocket: what runs')
  servers(report)
  beside(report)
end

return M
