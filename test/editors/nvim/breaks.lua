-- Concurrent breakpoints as a person uses them, in a real Neovim: two lines are
-- paired, signs appear, move, change; 100 runs; a finding turned into
-- breakpoints; a debugger that stops where both sides have met.
package.path = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h') .. '/?.lua;' .. package.path
local H = require('harness')
local check = H.check

local long = 300000 -- builds, and 100 runs, on a busy machine
local dir = H.copy()
local a

local leave, greet = 's.user = nil', 'return "Hello, " + s.user.Name'

local function cursor(text)
  a:lua([[
    local line = vim.fn.search('\\V' .. ..., 'nw')
    vim.api.nvim_win_set_cursor(0, { line, vim.fn.getline(line):find('%S') - 1 })]], text)
end

-- marks waits for the signs of the buffer, as "LINE NAME" by line.
local function marks(what, want, ms)
  local got
  local ok = H.until_true(function()
    got = a:lua('return break_signs()')
    return vim.deep_equal(got, want)
  end, ms)
  return check(what, ok, { got = got, want = want })
end

-- after waits for a text after the line with a text, and returns it.
local function after(what, text, pattern, ms)
  local got
  local ok = H.until_true(function()
    got = a:lua('return break_texts()[tostring(vim.fn.search("\\\\V" .. ..., "nw"))] or ""', text)
    return got:find(pattern) ~= nil
  end, ms)
  check(what, ok, got)
  return got
end

-- stored returns the breakpoints file.
local function stored()
  local f = io.open(dir .. '/.hocket/breakpoints.json')
  if not f then
    return {}
  end
  local text = f:read('*a')
  f:close()
  local ok, file = pcall(vim.fn.json_decode, text)
  return ok and file.breakpoints ~= vim.NIL and file.breakpoints or {}
end

local function pairing()
  a = H.nvim(dir, 'session/session.go', { GOPLS = '' })
  a:wait('the server starts', "attached('hocket')")
  cursor(leave)
  a:lua('answer = "session.go:27"')
  a:cmd('Hocket break')
  marks('a sign at each end', { '19 HocketBreakFirst1', '27 HocketBreak2' }, long)
  local asked = table.concat(a:lua('return seen.questions[#seen.questions] or {}'), '\n')
  check('both conflicts were offered, and any line', asked:find('session.go:24', 1, true) and asked:find('session.go:27', 1, true) and asked:find('a line I choose', 1, true), asked)
  check('it is in the file', #stored() == 1, stored())
end

local function moving()
  a:lua([[vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// A line more.', '' })]])
  marks('signs move with lines that are not saved', { '21 HocketBreakFirst1', '29 HocketBreak2' })
  a:cmd('silent undo')
  marks('and back', { '19 HocketBreakFirst1', '27 HocketBreak2' })
end

local function editing()
  cursor(greet)
  a:forget()
  a:lua("answer = 'condition'; typed = { 't1.s == t2.nobody', 't1.s == t2.s' }")
  a:cmd('Hocket break-edit')
  a:said('a wrong condition is told', 'nobody', long)
  check('it is asked again; a right one is taken', H.until_true(function()
    return (stored()[1] or {})['if'] == 't1.s == t2.s'
  end, long), stored())
  check('with what was typed before', vim.deep_equal(a:lua('return seen.inputs'), { '', 't1.s == t2.nobody' }), a:lua('return seen.inputs'))
  a:said('it is told, too', 'b1.*changed')
  a:lua('vim.lsp.buf.hover()')
  a:wait('the hover shows it', "(float() or ''):find('t1.s == t2.s', 1, true)")
  a:lua('close_floats()')
  cursor(greet)
  a:lua("answer = 'order'; typed = { '2,1' }")
  a:cmd('Hocket break-edit b1')
  marks('the other goes first', { '19 HocketBreak1', '27 HocketBreakFirst2' })
  a:lua("typed = { '1,2' }")
  a:cmd('Hocket break-edit b1')
  marks('as before', { '19 HocketBreakFirst1', '27 HocketBreak2' })
  a:cmd('Hocket break-toggle')
  marks('it is off', { '19 HocketBreakOff1', '27 HocketBreakOff2' })
  after('and says so', leave, '^off$')
  a:cmd('Hocket break-toggle')
  marks('it is on', { '19 HocketBreakFirst1', '27 HocketBreak2' })
end

local function running()
  a:forget()
  a:cmd('Hocket break-run')
  local text = after('100 runs, the outcome after the line', leave, '^hit %d+/100, failed %d+$', long)
  local hit, failed = text:match('hit (%d+)/100, failed (%d+)')
  check('almost all hit and fail', (tonumber(hit) or 0) >= 95 and (tonumber(failed) or 0) >= 90, text)
  a:said('and in a message', 'failed')
  a:cmd('Hocket breaks')
  a:wait(':Hocket breaks lists both sides', "#vim.fn.getqflist() == 2 and vim.fn.getqflist()[1].lnum == 19 and vim.fn.getqflist()[2].text:find('hit')")
  a:cmd('cclose')
end

-- debugging follows nvim-dap's interface with a client of our own.
local function debugging()
  cursor(greet)
  a:lua('package.path = ... .. "/test/editors/nvim/?.lua;" .. package.path; package.loaded.dap = require("dapclient")', os.getenv('EDITORS_ROOT'))
  a:cmd('Hocket break-debug')
  a:wait('a debug session stops where both sides have met', 'package.loaded.dap.stopped()', long)
  local lines = a:lua("return package.loaded.dap.lines('session.go')")
  check('goroutines are at both', vim.deep_equal(lines, { 19, 27 }), a:lua('return package.loaded.dap.stacks()'))
  check('their variables are readable', a:lua("return package.loaded.dap.variable('session.go', 's')") ~= nil)
  for _ = 1, 6 do
    if a:lua('return package.loaded.dap.ended()') then
      break
    end
    a:lua('package.loaded.dap.continue()')
    a:wait('it goes on', 'package.loaded.dap.stopped() or package.loaded.dap.ended()', long)
  end
  check('to its end', a:lua('return package.loaded.dap.ended()') == true)
  local said = a:lua('return package.loaded.dap.output()')
  check('the failure is shown', said:find('nil pointer', 1, true) or said:find('panic', 1, true), said)
  a:lua('package.loaded.dap = nil')
end

local function by_hand()
  cursor(leave)
  a:cmd('Hocket break-remove')
  marks('removed', {})
  check('from the file, too', #stored() == 0, stored())
  cursor(greet)
  a:lua('answer = "a line I choose"')
  a:cmd('Hocket break')
  marks('a first place', { '27 HocketBreakPending1' })
  a:wait('which waits for a choice', "vim.inspect(seen.questions[#seen.questions]):find('a line I choose', 1, true)", long)
  cursor(leave)
  a:cmd('Hocket pair')
  marks('the line that is chosen is the second', { '19 HocketBreak2', '27 HocketBreakFirst1' })
  a:cmd('Hocket break-remove')
  marks('no sign is left', {})
  a:forget()
  a:cmd('Hocket pair')
  a:said('a second place without a first is told', 'there is no first place')
end

local function from_finding()
  local out, code = H.hocket(dir, { 'find', '-budget', '200s', '-run', 'TestGet$', '.' })
  check('hocket find finds the bug', code == 1, out)
  a:cmd('edit pool.go')
  local id = H.hocket(dir, { 'list' }):match('^(%x+)')
  a:forget()
  a:cmd('Hocket break-finding ' .. tostring(id))
  check('the finding becomes concurrent breakpoints', H.until_true(function()
    return (stored()[1] or {}).kind == 'schedule'
  end, long), { stored(), a:lua('return seen.messages') })
  a:wait('with signs', '#break_signs() > 0')
  local b = a:lua("return require('hocket.breakcmd').ids()[1]")
  a:cmd('Hocket break-run ' .. tostring(b))
  local outcome
  H.until_true(function()
    for _, text in pairs(a:lua('return break_texts()')) do
      outcome = text:match('failed %d+$') or outcome
    end
    return outcome ~= nil
  end, long)
  check('which fail again', (tonumber((outcome or ''):match('%d+')) or 0) >= 95, { outcome or 'no outcome', a:lua('return seen.messages') })
end

local function conflicts()
  a:cmd('edit session/session.go')
  a:cmd('Hocket conflicts')
  a:wait(':Hocket conflicts lists them', "vim.fn.getqflist({ title = 1 }).title == 'Hocket conflicts' and #vim.fn.getqflist() >= 4", long)
  a:cmd('cclose')
  a:wait('and lenses show them', "vim.inspect(lenses()):find('conflicts with', 1, true)")
end

H.main(function()
  pairing()
  moving()
  editing()
  running()
  debugging()
  by_hand()
  from_finding()
  conflicts()
  check('quits', a:quit())
end)
