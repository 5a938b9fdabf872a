-- The way of a person through a finding, in a real Neovim beside gopls: open,
-- lens, find, progress, cancel, diagnostics, hover, edit, replay, explain; a
-- second Neovim and the command line on the same module; a killed server.
package.path = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h') .. '/?.lua;' .. package.path
local H = require('harness')
local check = H.check

local dir = H.copy()
local a, b -- the two Neovims
local id, level -- of the finding in TestGet, and how far it was confirmed

local function opening()
  a = H.nvim(dir, 'pool_test.go')
  a:wait('the server starts with the file', "attached('hocket')")
  a:wait('a lens at each of the three tests', [[#vim.tbl_filter(function(l) return l:find('find failing schedule') end, lenses()) == 3]])
  check('no message on the way', #a:lua('return seen.messages') == 0, a:lua('return seen.messages'))
  local server = a:server()
  check('opening runs nothing', server ~= nil and next(H.below(server)) == nil, server and H.below(server))
  check('opening writes nothing', vim.fn.isdirectory(dir .. '/.hocket') == 0)
  check('the root is the module', a:lua([[return require('hocket.compat').clients()[1].config.root_dir]]) == dir)
  check('statusline at rest', a:lua("return require('hocket').status()") == 'hocket')
  if os.getenv('GOPLS') then
    a:wait('gopls runs beside', "attached('gopls')")
    check('one encoding', a:lua([[
      local e = {}
      for _, c in ipairs(vim.lsp.get_clients and vim.lsp.get_clients() or vim.lsp.get_active_clients()) do e[c.offset_encoding] = true end
      return vim.tbl_count(e) == 1 and e['utf-16'] ]]))
  end
end

local function cancelling()
  a:lua("go_to('TestPut'); vim.lsp.codelens.run()")
  a:wait('the lens starts a search; its line says so', "lenses_of('TestPut'):find('searching', 1, true)")
  a:wait('progress with schedules', "table.concat(seen.progress, '\\n'):find('find TestPut', 1, true) and require('hocket.progress').current() and (require('hocket.progress').current().message or ''):find('schedules', 1, true)", 120000)
  a:cmd('Hocket find TestMove')
  a:wait('a second job waits; its line says so', "lenses_of('TestMove'):find('waiting', 1, true)")
  a:cmd('Hocket jobs')
  a:said(':Hocket jobs shows both', 'TestPut.*\n.*TestMove')
  local children = H.below(a:server())
  check('the search is a process of its own', next(children) ~= nil)
  a:cmd('Hocket cancel')
  a:said('cancelling says so', 'cancelled 2 jobs')
  a:wait('lenses are as before', "lenses_of('TestPut') == 'find failing schedule' and lenses_of('TestMove') == 'find failing schedule'")
  a:wait('no job is shown any more', "require('hocket').status() == 'hocket'")
  check('cancelled jobs leave no process', H.gone(children))
  a:forget()
end

local function finding()
  a:lua("go_to('TestGet'); vim.lsp.codelens.run()")
  a:said('the outcome is told', 'index out of range', 180000)
  check('told once', #vim.tbl_filter(function(m) return m:find('index out of range') end, a:lua('return seen.messages')) == 1, a:lua('return seen.messages'))
  a:wait('one lens for the finding', [[lenses_of('TestGet'):find('^1 finding: [^|]*index out of range[^|]*▸$')]])
  a:wait('a sign beside the test', "vim.inspect(vim.fn.sign_getplaced(vim.api.nvim_get_current_buf(), { group = 'hocket_tests' })[1].signs):find('HocketTest_failing', 1, true)")
  a:wait('which offers to explain and replay', [[offers_of('TestGet'):find('Explain | Step through the schedule | Replay 10 times (failed 100/100)', 1, true)]])
  local out = H.hocket(dir, { 'list' })
  id = out:match('^(%x+)')
  check('hocket list has it', id ~= nil and out:find('TestGet', 1, true) ~= nil, out)
  level = a:lua([[
    local client = require('hocket.compat').clients()[1]
    local answer = require('hocket.compat').execute_sync(client, 'list', { uri = vim.uri_from_bufnr(0) }, 60000)
    return answer and answer.result and answer.result.findings[1].level]])
  H.note('found on level %s', tostring(level))
end

local function diagnostics()
  a:cmd('edit pool.go')
  a:wait('diagnostics in the file of the bug', '#diagnostics() > 0')
  local d = a:lua([[
    local all = diagnostics()
    table.sort(all, function(x, y) return x.lnum < y.lnum end)
    local d = all[1]
    return { n = #all, message = d.message, severity = d.severity, code = d.code or d.user_data.lsp.code, lnum = d.lnum, col = d.col, end_col = d.end_col,
      id = (d.user_data.lsp.data or {}).id, related = #(d.user_data.lsp.relatedInformation or {}),
      href = (d.user_data.lsp.codeDescription or (d.user_data.lsp or {}).codeDescription or {}).href or '' }]])
  check('code is the kind', d.code == 'panic', d)
  -- Whether the ordinary build confirms it in time depends on the machine.
  local severity = level == 'controlled' and vim.diagnostic.severity.HINT or vim.diagnostic.severity.WARN
  -- The last level of a search may be shown a moment after its end.
  a:wait('severity is that of the level', ([[(function()
    local lowest = vim.diagnostic.severity.HINT
    for _, x in ipairs(diagnostics()) do
      lowest = math.min(lowest, x.severity)
    end
    return #diagnostics() > 0 and lowest == %d
  end)()]]):format(severity))
  check('a finding is one problem, its other steps are hints', a:lua([[return #vim.tbl_filter(function(x) return x.severity ~= vim.diagnostic.severity.HINT end, diagnostics())]]) <= 1)
  check('related information', d.related > 0, d)
  check('link to the documentation', vim.fn.has('nvim-0.11') == 0 and (d.href == '' or d.href:find('#panic', 1, true)) or d.href:find('#panic', 1, true) ~= nil, d)
  check('the id of the finding', d.id == id, d)
  local line = a:lua('return vim.api.nvim_buf_get_lines(0, ...)[1]', d.lnum, d.lnum + 1, false)
  check('underlines code, not blanks', line and line:sub(d.col + 1, d.end_col):match('^%S.*%S$') ~= nil, { line, d })
  check('statusline counts findings', a:lua("return require('hocket').status()") == 'hocket: 1 finding', a:lua("return require('hocket').status()"))
  return d
end

local function hovering(d)
  a:lua('vim.api.nvim_win_set_cursor(0, { ..., 4 })', d.lnum + 1)
  a:cmd('Hocket hover')
  a:wait(':Hocket hover opens a window', 'float()')
  local text = a:lua('return float()') or ''
  check('with the table', text:find('failing', 1, true) and text:find('passing', 1, true) and text:find('p.idle', 1, true), text)
  a:lua('close_floats()')
  a:lua('vim.lsp.buf.hover()')
  a:wait("Neovim's own hover", 'float()')
  a:lua('close_floats()')
  a:forget()
  a:lua('vim.api.nvim_win_set_cursor(0, { 1, 0 })')
  a:cmd('Hocket hover')
  a:said('no hover elsewhere', 'no finding on this line')
  a:cmd('Hocket explain')
  a:said('nor an explanation; what to do is said as it is typed here', ':Hocket explain: .*:Hocket list')
end

local function actions(d)
  a:forget()
  a:lua('vim.api.nvim_win_set_cursor(0, { ..., 4 }); answer = "Hocket…"; vim.lsp.buf.code_action()', d.lnum + 1)
  a:wait('one code action opens the list', '#seen.questions > 1 or (#seen.questions == 1 and seen.questions[1][1] == "Explain")')
  local asked = a:lua('return table.concat(seen.questions[#seen.questions] or {}, "\\n")')
  check('which offers to replay and explain', asked:find('Replay', 1, true) and asked:find('Explain', 1, true), asked)
  a:forget()
  a:cmd('edit pool_test.go')
  a:lua("go_to('TestGet'); answer = 'Explain'; vim.lsp.codelens.run()")
  a:wait('the lens opens it too, and what is chosen is done', "vim.bo.filetype == 'markdown'")
  check('the explanation has the table', a:lua('return buffer()'):find('failing run', 1, true) ~= nil)
  a:cmd('close')
  a:cmd('edit pool.go')
end

local function editing(d)
  a:lua([[vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// A line more.', '' })]])
  a:wait('diagnostics move with the text', ('#diagnostics() > 0 and diagnostics()[1].lnum >= %d and vim.tbl_count(vim.tbl_filter(function(x) return x.lnum == %d end, diagnostics())) > 0'):format(d.lnum + 2, d.lnum + 2))
  a:lua([[local n = ... + 3; local l = vim.api.nvim_buf_get_lines(0, n - 1, n, false)[1]; vim.api.nvim_buf_set_lines(0, n - 1, n, false, { l .. ' // edited' })]], d.lnum)
  a:wait('an edit of the line is told', "#vim.tbl_filter(function(x) return x.message:find('changed since found') end, diagnostics()) > 0")
  a:cmd('silent undo')
  a:cmd('silent undo')
  a:lua('while vim.bo.modified do vim.cmd("silent undo") end')
  a:wait('undo brings it back', ("#diagnostics() > 0 and #vim.tbl_filter(function(x) return x.message:find('changed since found') end, diagnostics()) == 0 and vim.tbl_count(vim.tbl_filter(function(x) return x.lnum == %d end, diagnostics())) > 0"):format(d.lnum))
end

local function replaying()
  a:forget()
  a:cmd('Hocket replay ' .. id)
  a:said(':Hocket replay says how often it failed', '10 of 10', 120000)
  a:cmd('edit pool_test.go')
  a:wait('the lens has the new count', "offers_of('TestGet'):find('failed 10/10', 1, true)")
end

local function explaining()
  a:cmd('vertical Hocket explain ' .. id)
  a:wait(':Hocket explain opens a window', "vim.bo.filetype == 'markdown' and buffer():find('passing run', 1, true)")
  check('which nobody can write', a:lua('return not vim.bo.modifiable and vim.bo.buftype == "nofile"'))
  check('split as asked', a:lua('return vim.api.nvim_win_get_width(0) < vim.o.columns'))
  a:cmd('close')
  a:cmd('Hocket list')
  a:wait(':Hocket list fills the quickfix list, by package', "#vim.fn.getqflist() == 2 and vim.fn.getqflist()[1].text == 'example.com/pool: 1 open' and vim.fn.getqflist()[2].text:find('index out of range') and vim.fn.getqflist()[2].bufnr > 0")
  a:cmd('cclose')
  check('ids are completed', vim.deep_equal(a:lua("return vim.fn.getcompletion('Hocket replay ', 'cmdline')"), { id }))
end

local function fixing()
  a:cmd('edit pool.go')
  local before = a:lua('return buffer()')
  a:forget()
  a:cmd('Hocket fix ' .. id)
  a:wait(':Hocket fix shows what holds as a diff', "vim.bo.filetype == 'diff' and buffer():find('\\n%+') ~= nil", 240000)
  a:said('and says it', 'verified fix')
  a:cmd('close')
  check('nothing is written yet', a:lua('return buffer()') == before)
  local d = a:lua('return diagnostics()[1]')
  a:forget()
  a:lua('vim.api.nvim_win_set_cursor(0, { ..., 4 }); answer = "none of these"; vim.lsp.buf.code_action()', d.lnum + 1)
  a:wait('code actions are asked for', '#seen.questions > 0')
  local asked = a:lua('return table.concat(seen.questions[#seen.questions] or {}, "\\n")')
  check('the fix is among the code actions', asked:find('proved, ', 1, true) or asked:find('searched, ', 1, true), asked)
  check('and looking for one is not', not asked:find('Look for a fix', 1, true), asked)
  a:forget()
  a:cmd('Hocket apply 1 ' .. id)
  a:said(':Hocket apply says what it did', 'applied: ')
  check('the text is another one', a:lua('return buffer()') ~= before)
  check('on disk it is as before', table.concat(vim.fn.readfile(dir .. '/pool.go'), '\n') == (before:gsub('\n$', '')))
  a:cmd('silent undo')
  a:lua('while vim.bo.modified do vim.cmd("silent undo") end')
  check('undo brings it back', a:lua('return buffer()') == before)
  a:cmd('edit pool_test.go')
end

local function second_editor()
  b = H.nvim(dir, 'pool_test.go')
  b:wait('a second Neovim shows the finding', "lenses_of('TestGet'):find('1 finding: ', 1, true) and offers_of('TestGet'):find('failed 10/10', 1, true)")
  b:lua("go_to('TestMove')")
  b:cmd('Hocket find')
  a:lua("go_to('TestGet')")
  a:cmd('Hocket find')
  b:said('both search at once: the second finds', 'TestMove: .*replays', 240000)
  a:said('and the first', 'index out of range', 240000)
  a:wait('each sees what the other found', "lenses_of('TestMove'):find('1 finding: ', 1, true)")
  b:wait('in the other direction, too', "lenses_of('TestGet'):find('1 finding: ', 1, true)")
  local out = H.hocket(dir, { 'list' })
  check('nothing is lost', out:find('TestGet', 1, true) and out:find('TestMove', 1, true), out)
  local server = b:server()
  check('the second quits', b:quit())
  check('and its server with it', H.gone({ [server] = true }))
end

local function command_line()
  a:lua("go_to('TestMove')")
  local before = a:lua("return offers_of('TestMove')")
  H.hocket(dir, { 'replay', '-n', '7', (H.hocket(dir, { 'list' }):match('(%x+)%s+%S+ TestMove')) })
  local done = H.now()
  a:wait('a replay in a terminal appears by itself', "offers_of('TestMove'):find('failed 7/7', 1, true)")
  H.note('it took %d ms; before: %s', H.now() - done, before)
end

local function unsaved()
  a:forget()
  a:lua("require('hocket').setup({ settings = { find = { budget = '2m', schedules = 60 }, replay = { runs = 5 } } })")
  a:cmd('edit pool.go')
  -- All at once, and asked from another buffer: Neovim has sent nothing of the edit
  -- by itself yet.
  a:lua([[
    local l = vim.fn.search('last := len(p.idle) - 1', 'nw')
    vim.api.nvim_buf_set_lines(0, l, l, false, { '\tif last < 0 {', '\t\treturn &Conn{id: -1}', '\t}' })
    vim.cmd('edit pool_test.go')
    vim.cmd('Hocket find TestGet')]])
  check('the bug is fixed in the buffer only', a:lua("return vim.bo[vim.fn.bufnr('pool.go')].modified"))
  a:said('unsaved text is searched', 'TestGet', 180000)
  local said = table.concat(a:lua('return seen.messages'), '\n')
  check('and nothing is found in it', not said:find('index out of range', 1, true), said)
  check('the file stays as it was', not table.concat(vim.fn.readfile(dir .. '/pool.go'), '\n'):find('last < 0', 1, true))
  a:forget()
  a:cmd('Hocket replay ' .. id)
  a:said('settings changed meanwhile count', ' of 5 ', 120000)
  a:cmd('edit pool.go')
  a:cmd('edit!')
end

local function killed()
  a:forget()
  a:cmd('edit pool_test.go')
  a:lua("go_to('TestPut')")
  a:cmd('Hocket find')
  a:wait('a job runs', "require('hocket.progress').current() ~= nil")
  local server = a:server()
  H.until_true(function() return next(H.below(server)) ~= nil end)
  local children = H.below(server)
  check('with processes', next(children) ~= nil)
  H.signal(server, 'sigkill')
  a:said('the end of the server is reported, with what to do', 'signal 9; :Hocket restart')
  check('its jobs end with it', H.gone(children), children)
  check('no job is shown', a:lua("return require('hocket').status()") == '')
  a:wait('its lenses are gone', '#lenses() == 0')
  -- An edit while there is no server must reach the next one.
  a:lua([[vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// one', '// two' })]])
  a:cmd('Hocket restart')
  a:wait(':Hocket restart starts it', "attached('hocket')")
  a:wait('lenses are back, moved', "lenses_of('TestPut') == 'find failing schedule' and lenses_of('TestGet'):find('1 finding: ', 1, true)")
  a:lua([[vim.api.nvim_buf_set_lines(0, 0, 1, false, {})]])
  a:wait('edits reach the new server', "lenses_of('TestPut') == 'find failing schedule' and lenses_of('TestGet'):find('1 finding: ', 1, true)")
  a:cmd('edit!')
  local before = a:lua("return require('hocket.compat').clients(0)[1].id")
  a:cmd('Hocket restart')
  a:wait('a restart of a server that runs', ("attached('hocket') and require('hocket.compat').clients(0)[1] and require('hocket.compat').clients(0)[1].id ~= %d and lenses_of('TestPut') == 'find failing schedule'"):format(before))
end

local function documentation()
  a:cmd('silent checkhealth hocket')
  local health = a:lua('return buffer()')
  check(':checkhealth finds all it needs', health:find('OK', 1, true) and health:find('hocket', 1, true) and not health:find('ERROR', 1, true), health)
  check('and names server and gopls', health:find('server .* for ') and (not os.getenv('GOPLS') or health:find('gopls runs beside', 1, true)), health)
  a:cmd('close')
  a:cmd('helptags ' .. os.getenv('EDITORS_TMP_DOC'))
  a:lua('vim.opt.runtimepath:append(vim.fn.fnamemodify(..., ":h"))', os.getenv('EDITORS_TMP_DOC'))
  a:cmd('help hocket')
  check(':help hocket', a:lua('return vim.bo.buftype == "help" and buffer():find("concurrency bugs", 1, true) ~= nil'), a:lua('return { vim.bo.filetype, vim.fn.expand("%"), buffer():sub(1, 200) }'))
  local missing = a:lua([[
    local text, missing = buffer(), {}
    for _, name in ipairs(require('hocket.cmdline').subcommands()) do
      if not text:find('*:Hocket-' .. name .. '*', 1, true) then table.insert(missing, name) end
    end
    return missing]])
  check('each subcommand is in the help', #missing == 0, missing)
  a:cmd('close')
end

-- A short run leaves out what does not depend on Neovim's version.
local short = os.getenv('EDITORS_SHORT') ~= nil

H.main(function()
  local start = H.now()
  local function step(fn, ...)
    local from = H.now()
    local result = fn(...)
    H.note('%.1f s, %.1f s in all', (H.now() - from) / 1000, (H.now() - start) / 1000)
    return result
  end
  step(opening)
  step(cancelling)
  step(finding)
  local d = step(diagnostics)
  step(hovering, d)
  step(actions, d)
  step(editing, d)
  step(replaying)
  step(explaining)
  step(fixing)
  if not short then
    step(second_editor)
    step(command_line)
    step(unsaved)
  end
  step(killed)
  step(documentation)
  local server = a:server()
  local all = H.below(server)
  all[server] = 'server'
  check('quits', a:quit())
  check('nothing is left running', H.gone(all))
end)
