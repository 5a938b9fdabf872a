-- How concurrent breakpoints and tests are drawn, and findings listed, from messages as
-- a server sends them; none runs here.
package.path = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h') .. '/?.lua;' .. package.path
local H = require('harness')
local check = H.check

local dir = H.copy()
local uri = vim.uri_from_fname(dir .. '/session/session.go')

local function side(n, order, line, lost)
  return {
    uri = uri,
    range = { start = { line = line, character = 1 }, ['end'] = { line = line, character = 9 } },
    side = n, of = 2, order = order, label = 'f', lost = lost or '', text = 'x = ' .. n,
  }
end

local function breakpoint(id, one, two, more)
  return vim.tbl_extend('force', {
    id = id, kind = 'race', ['if'] = '', order = { 1, 2 }, timeout = '100ms', off = false, note = '',
    sides = { one, two }, hover = '**' .. id .. '**',
  }, more or {})
end

-- What is drawn, as "LINE SIGN text", lines from 1.
local drawn = [[
  local found = {}
  for _, s in ipairs(vim.fn.sign_getplaced(vim.api.nvim_get_current_buf(), { group = 'hocket_breaks' })[1].signs) do
    local d = vim.fn.sign_getdefined(s.name)[1]
    table.insert(found, ('%d %s %s'):format(s.lnum, vim.trim(d.text), d.texthl))
  end
  local ns = vim.api.nvim_get_namespaces()['hocket.breaks']
  for _, m in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
    table.insert(found, ('%d %s'):format(m[2] + 1, vim.trim(m[4].virt_text[1][1])))
  end
  table.sort(found)
  return found]]

local child

local function receive(module)
  module.root = module.root or vim.uri_from_fname(dir)
  child:lua("require('hocket.breaks').receive(..., 1)", module)
end

local function expect(what, want)
  table.sort(want)
  local got = child:lua(drawn)
  check(what, vim.deep_equal(got, want), { got = got, want = want })
end

-- tests checks the signs beside tests and the list of findings.
local function tests(sign)
  local function test(name, line, stands, file)
    return { name = name, uri = vim.uri_from_fname(dir .. '/session/' .. (file or 'session.go')), stands = stands,
      range = { start = { line = line, character = 0 }, ['end'] = { line = line, character = 9 } } }
  end
  child:lua("require('hocket.tests').draw(vim.api.nvim_get_current_buf(), ...)", {
    test('TestA', 1, 'failing'), test('TestB', 3, 'changed'), test('TestC', 5, 'proved'), test('TestD', 7, ''),
    test('TestE', 9, 'searched'), test('TestF', 11, 'failing', 'other.go'), test('TestG', 5000, 'failing') })
  local signs = child:lua([[
    return vim.tbl_map(function(s)
      local d = vim.fn.sign_getdefined(s.name)[1]
      return ('%d %s %s'):format(s.lnum, vim.trim(d.text), d.texthl)
    end, vim.fn.sign_getplaced(vim.api.nvim_get_current_buf(), { group = 'hocket_tests' })[1].signs)]])
  table.sort(signs)
  local want = { '10 ' .. sign.searched .. ' HocketTestSearched', '2 ' .. sign.failing .. ' HocketTestFailing', '4 ~ HocketTestChanged', '6 ' .. sign.proved .. ' HocketTestProved' }
  check('signs say how the tests of this file stand', vim.deep_equal(signs, want), { got = signs, want = want })
  child:lua("require('hocket.tests').forget()")
  check('none is left of a server that has ended', #child:lua("return vim.fn.sign_getplaced(vim.api.nvim_get_current_buf(), { group = 'hocket_tests' })[1].signs") == 0)

  local function finding(id, stands, package, about)
    return { id = id, stands = stands, package = package, about = about or '', entry = 'TestX', headline = 'panic ' .. id, level = 'native',
      replay = { runs = 100, failed = 97 }, location = { uri = uri, range = side(1, 1, 18).range } }
  end
  child:lua("package.loaded['hocket.compat'].execute = (function(list) return function(_, _, _, done) done(nil, list) return true end end)(...)", {
    findings = { finding('c', 'fixed', 'm/b', 'no longer fails'), finding('a', 'failing', 'm/b'), finding('b', 'changed', 'm/b', 'changed since found'), finding('d', 'older', 'm/a', 'of an older version') },
    verdicts = { { entry = 'TestY', package = 'm/b', stands = 'proved', line = '✓ all schedules (7 runs)', message = '' } },
  })
  child:lua("require('hocket.commands').run({ id = 1 }, 'list', {}, {})")
  local list = child:lua("return vim.tbl_map(function(i) return ('%d %d %s'):format(i.valid, i.lnum, i.text) end, vim.fn.getqflist())")
  want = {
    '0 0 m/a: none open', '1 19 ~ of an older version: panic d (TestX, replay 97/100) d',
    '0 0 m/b: 2 open', '1 19 ✗ panic a (TestX, replay 97/100) a', '1 19 ~ changed since found: panic b (TestX, replay 97/100) b',
    '1 19 ✓ no longer fails: panic c (TestX, replay 97/100) c', '0 0 ✓ TestY: all schedules (7 runs)',
  }
  check(':Hocket list is by package, what fails first', vim.deep_equal(list, want), { got = list, want = want })
  child:cmd('cclose')
end

local function scenario(locale, sign)
  child = H.nvim(dir, 'session/session.go', { HOCKET = '/nowhere/hocket', GOPLS = '', LC_ALL = locale })
  receive({ breakpoints = { breakpoint('b1', side(1, 2, 18), side(2, 1, 26)) } })
  expect(locale .. ': a sign at each end, the first to go filled', { '19 ' .. sign.later1 .. ' HocketBreak', '27 ' .. sign.first2 .. ' HocketBreakFirst' })

  receive({ breakpoints = { breakpoint('b1', side(1, 1, 18), side(2, 2, 26), { last = { runs = 100, hits = 100, failed = 97, when = '' } }) } })
  expect('the outcome after both lines', {
    '19 hit 100/100, failed 97', '19 ' .. sign.first1 .. ' HocketBreakFirst', '27 hit 100/100, failed 97', '27 ' .. sign.later2 .. ' HocketBreak',
  })

  receive({ breakpoints = { breakpoint('b1', side(1, 1, 18), side(2, 2, 26, 'no such statement'), { off = true }) } })
  expect('one that is off, and a lost end', {
    '19 off', '19 ' .. sign.later1 .. ' HocketBreakOff', '27 lost: no such statement', '27 ' .. sign.lost2 .. ' HocketBreakLost',
  })

  receive({ breakpoints = {
    breakpoint('b1', side(1, 1, 18), side(2, 2, 26), { last = { runs = 5, hits = 4, failed = 3, when = '' } }),
    breakpoint('b2', side(1, 1, 18), side(2, 2, 18), { off = true }),
  } })
  local got = child:lua(drawn)
  check('several on one line have one text, with ids', vim.tbl_contains(got, '19 b1 hit 4/5, failed 3 · b2 off'), got)

  receive({ breakpoints = {}, pending = { uri = uri, range = side(1, 1, 18).range, text = 's.user = nil' } })
  expect('a first place says what is missing', { '19 pair with another place: :Hocket pair', '19 ' .. sign.later1 .. ' HocketBreakPending' })

  receive({ breakpoints = { breakpoint('b1', side(1, 1, 18), side(2, 2, 5000)) } })
  expect('a line that is not there yet is left out', { '19 ' .. sign.first1 .. ' HocketBreakFirst' })

  child:cmd('Hocket breaks')
  local list = child:lua("return vim.tbl_map(function(i) return ('%d %s'):format(i.lnum, i.text) end, vim.fn.getqflist())")
  check(':Hocket breaks lists all sides', vim.deep_equal(list, { '19 b1 side 1 of 2: x = 1', '5001 b1 side 2 of 2: x = 2' }), list)
  child:cmd('cclose')
  check('ids are completed', vim.deep_equal(child:lua("return vim.fn.getcompletion('Hocket break-edit ', 'cmdline')"), { 'b1' }))

  receive({ breakpoints = { breakpoint('b1', side(1, 1, 18), side(2, 2, 26)) }, problem = '.hocket/breakpoints.json:3: no JSON' })
  child:said('a file that can not be read is told', 'breakpoints.json:3')
  receive({ root = vim.uri_from_fname(dir .. '/other'), breakpoints = { breakpoint('b1', side(1, 1, 20), side(2, 2, 21)) } })
  check('modules are apart', #child:lua(drawn) == 4, child:lua(drawn))
  child:lua("require('hocket.breaks').forget(1)")
  expect('nothing is left of a server that has ended', {})
  tests(sign)
  child:cmd('Hocket break-remove b7')
  child:said('an unknown id is told', 'no concurrent breakpoint b7')
  child:quit()
end

H.main(function()
  scenario('C.UTF-8', { first1 = '❶', later1 = '①', first2 = '❷', later2 = '②', lost2 = '✗2', failing = '✗', proved = '✓', searched = '·' })
  scenario('C', { first1 = '>1', later1 = 'b1', first2 = '>2', later2 = 'b2', lost2 = 'x2', failing = 'x', proved = 'v', searched = '.' })
end)
