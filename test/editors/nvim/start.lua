-- When a server starts, and for which folder: without the binary, outside of
-- modules, in workspaces, started by hand; and what wrong options say.
package.path = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h') .. '/?.lua;' .. package.path
local H = require('harness')
local check = H.check

-- folder writes files, name → lines, and returns where.
local function folder(files)
  local dir = vim.fn.tempname()
  for name, lines in pairs(files) do
    vim.fn.mkdir(vim.fn.fnamemodify(dir .. '/' .. name, ':h'), 'p')
    vim.fn.writefile(lines, dir .. '/' .. name)
  end
  return (vim.uv or vim.loop).fs_realpath(dir)
end

local main = { 'package main', '', 'func main() {}' }

local function missing()
  local a = H.nvim(H.copy(), 'pool_test.go', { HOCKET = '/nowhere/hocket', GOPLS = '' })
  a:said('a missing binary is reported, with what to do', 'go install .*cmd/hocket')
  a:cmd('edit pool.go')
  a:cmd('edit pool_test.go')
  check('once', #a:lua('return seen.messages') == 1, a:lua('return seen.messages'))
  a:cmd('Hocket find')
  a:said('a command says what to do', 'no server runs.*checkhealth')
  check('statusline is empty', a:lua("return require('hocket').status()") == '')
  a:cmd('silent checkhealth hocket')
  check(':checkhealth says it', a:lua('return buffer()'):find("/nowhere/hocket can't be run", 1, true) ~= nil, a:lua('return buffer()'))
  a:lua("require('hocket').setup({ comand = { 'x' }, settings = 'x' })")
  a:said('an unknown option is told', 'no option "comand"')
  a:said('and one of the wrong type', 'settings is a string')
  a:cmd('Hocket serach')
  a:said('an unknown subcommand is told, with those there are', 'unknown subcommand "serach"; the subcommands are apply, break, ')
  a:quit()
end

local function outside()
  local a = H.nvim(folder({ ['main.go'] = main }), 'main.go', { GOPLS = '' })
  check('a file outside of modules starts no server', a:server() == nil and #a:lua('return seen.messages') == 0, a:lua('return seen.messages'))
  check('completion of subcommands', vim.tbl_contains(a:lua("return vim.fn.getcompletion('Hocket ', 'cmdline')"), 'explain'))
  check('completion of entries', vim.deep_equal(a:lua("return vim.fn.getcompletion('Hocket find ', 'cmdline')"), { 'main' }))
  a:quit()
end

local function roots()
  local dir = folder({
    ['go.work'] = { 'go 1.26', 'use ./one', 'use ./two' },
    ['one/go.mod'] = { 'module example.com/one', 'go 1.26' },
    ['one/main.go'] = main,
    ['two/go.mod'] = { 'module example.com/two', 'go 1.26' },
    ['two/cmd/x/main.go'] = main,
    ['cache/example.com/lib@v1.0.0/go.mod'] = { 'module example.com/lib' },
    ['cache/example.com/lib@v1.0.0/lib.go'] = { 'package lib' },
  })
  local a = H.nvim(dir .. '/one', 'main.go', { GOPLS = '', GOMODCACHE = dir .. '/cache' })
  a:wait('a workspace has a server', "attached('hocket')")
  check('of its go.work', a:lua("return require('hocket.compat').clients()[1].config.root_dir") == dir)
  a:cmd('edit ../two/cmd/x/main.go')
  a:wait('its other module uses the same', "attached('hocket')")
  a:cmd('edit ' .. vim.fn.fnameescape(dir .. '/cache/example.com/lib@v1.0.0/lib.go'))
  a:wait('so does a library', "attached('hocket')")
  check('one server runs', a:lua("return #require('hocket.compat').clients()") == 1)
  a:cmd('Hocket stop')
  a:said(':Hocket stop', 'stopped')
  check('ends it', a:server() == nil)
  a:quit()
end

local function by_hand()
  local a = H.nvim(H.copy(), 'pool_test.go', { GOPLS = '', EDITORS_INIT = "vim.g.hocket = { auto_start = false, cmd = { os.getenv('HOCKET'), 'lsp' } }" })
  a:cmd('Hocket find')
  a:said('with auto_start off there is no server', 'no server runs')
  check('and no process', a:server() == nil)
  if vim.fn.has('nvim-0.11') == 1 then
    a:lua("vim.lsp.config('hocket', { cmd = { os.getenv('HOCKET'), 'lsp', '-logfile', ... } }); vim.lsp.enable('hocket')", vim.fn.tempname())
    a:wait('vim.lsp.enable starts it', "attached('hocket')")
    check('as vim.lsp.config says', a:lua("return require('hocket.compat').clients()[1].config.cmd[3]") == '-logfile')
  else
    a:cmd('Hocket restart')
    a:wait(':Hocket restart starts it', "attached('hocket')")
  end
  a:wait('with lenses', '#lenses() == 3')
  a:lua("require('hocket').setup({ settings = { ['codelenses.find'] = false } })")
  a:wait('a setting counts at once', '#lenses() == 0')
  a:quit()
  a = H.nvim(H.copy(), 'pool_test.go', { GOPLS = '', EDITORS_INIT = "vim.g.hocket = { codelens = false, cmd = { os.getenv('HOCKET'), 'lsp' } }" })
  a:wait('it starts without lenses', "attached('hocket')")
  -- Once the server has answered a lens request of ours, one of the plugin's that
  -- was sent before would have been answered, too.
  check('which stay away', a:lua([[
    local compat = require('hocket.compat')
    local answer = compat.request_sync(compat.clients(0)[1], 'textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(0) } }, 5000, vim.api.nvim_get_current_buf())
    return #answer.result == 3 and #lenses() == 0]]))
  a:quit()
end

H.main(function()
  missing()
  outside()
  roots()
  by_hand()
end)
