-- Through the runs of a finding by keys: forward and back, from switch to switch, into a
-- fold, what if not, the quickfix list, a breakpoint, an edit above.
package.path = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h') .. '/?.lua;' .. package.path
local H = require('harness')
local check = H.check

-- press types keys, as a person does.
local function press(a, keys)
  a:unblock()
  vim.fn.rpcrequest(a.chan, 'nvim_input', keys)
end

local function at(a)
  local s = a:lua([[
    local s = require('hocket.steps').state()
    return s and { run = s.run, number = s.step and s.step.number, fold = s.step and s.step['until'] ~= nil, switch = s.switch and s.switch.number,
      lnum = vim.fn.line('.'), line = s.step and s.step.location and s.step.location.range.start.line + 1,
      file = s.step and s.step.location and s.step.location.uri:match('[^/]*$'), count = #s.steps } ]])
  return s or {}
end

-- code is what the code window shows: file, cursor line, and the texts behind lines.
local function code(a)
  return a:lua([[
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      local buf = vim.api.nvim_win_get_buf(win)
      local name = vim.api.nvim_buf_get_name(buf):match('[^/]*$')
      if name:match('%.go$') then
        local texts = {}
        local ns = vim.api.nvim_get_namespaces()['hocket.steps.code']
        for _, m in ipairs(vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })) do
          table.insert(texts, (m[2] + 1) .. vim.trim((m[4].virt_text or { { '' } })[1][1]))
        end
        return { file = name, line = vim.api.nvim_win_get_cursor(win)[1], texts = table.concat(texts, ' | ') }
      end
    end]]) or {}
end

H.main(function()
  local dir, long = H.copy(), 300000
  local out, exit = H.hocket(dir, { 'find', '-budget', '250s', '-run', 'TestGet$', '.' })
  check('hocket find finds the bug', exit == 1, out)
  local a = H.nvim(dir, 'pool_test.go', { GOPLS = '' })
  a:wait('the lens of the finding', [[lenses_of('TestGet'):find('^1 finding: ')]], long)
  a:lua("answer = 'Step through the schedule'; go_to('TestGet'); vim.lsp.codelens.run()")
  a:wait('the list of the lens opens the steps', "require('hocket.steps').state() ~= nil", long)
  local first = at(a)
  check('at the first step of the explanation', first.run == 'failing' and (first.number or 0) > 1 and first.count > 8, first)
  local lines = a:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')
  check('a line a step, with switches between', #lines > first.count + 3 and table.concat(lines, '\n'):find('─ switch 2: TestGet.func%d is stopped, TestGet.func%d goes on') ~= nil, lines)
  local shown = code(a)
  check('the code window is at its line', shown.file == first.file and shown.line == first.line, { shown, first })
  check('what happens is behind the line', shown.texts:find(first.line .. 'TestGet', 1, true) ~= nil, shown)

  -- Forward and back.
  local visited, slowest = { first }, 0
  for _ = 1, 5 do
    local start = H.now()
    press(a, 'j')
    local before = visited[#visited].lnum
    check('j goes on', H.until_true(function() return at(a).lnum == before + 1 end), at(a))
    slowest = math.max(slowest, H.now() - start)
    local s = at(a)
    if s.line then
      check('the code follows', H.until_true(function() local c = code(a); return c.line == s.line and c.file == s.file end), { s, code(a) })
    end
    table.insert(visited, s)
  end
  press(a, '5k')
  check('5k comes back', H.until_true(function() return at(a).number == first.number end), at(a))
  check('and so does the code', code(a).line == first.line, code(a))
  H.note('a step took %d ms at most, with the questions of this test', slowest)

  -- Switches.
  press(a, 'gg]s')
  check(']s goes to the step after the first switch', H.until_true(function() return (at(a).number or 0) > 1 end), at(a))
  local one = at(a).number
  press(a, ']s')
  check('and to that after the next', H.until_true(function() return (at(a).number or 0) > one end), at(a))
  local two = at(a).number
  press(a, '[s')
  check('[s goes back', H.until_true(function() return at(a).number == one end), at(a))
  press(a, ']s')
  check('and on again', H.until_true(function() return at(a).number == two end), at(a))

  -- What if not.
  a:lua("answer = 'switch 2: '")
  press(a, 'w')
  a:said('what if not the switch: it is run, and none fails', 'without switch 2 %(.*%), 0 of 20 runs failed', long)
  check('the window keeps it', H.until_true(function()
    return table.concat(a:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)'), '\n'):find('without switch 2 %(.*%): 0 of 20 failed') ~= nil
  end))

  -- Folds.
  local count = at(a).count
  a:lua([[vim.fn.search('⋮', 'w')]])
  press(a, 'l') -- the cursor moved by itself
  check('at a fold', H.until_true(function() return at(a).fold end), at(a))
  press(a, '<CR>')
  check('Enter opens it', H.until_true(function() return (at(a).count or 0) > count end), at(a))
  press(a, 'zM')
  check('zM closes it', H.until_true(function() return at(a).count == count end), at(a))

  -- The other run.
  press(a, '<Tab>')
  check('Tab leads to the passing run', H.until_true(function() return at(a).run == 'passing' end), at(a))
  press(a, '<Tab>')
  check('and back', H.until_true(function() return at(a).run == 'failing' end), at(a))

  press(a, 'Q')
  check('Q makes a quickfix list', H.until_true(function() return a:lua("return vim.bo.buftype") == 'quickfix' end), at(a))
  check('of all places', a:lua("return #vim.fn.getqflist()") >= count - 3, a:lua("return vim.fn.getqflist()"))
  a:cmd('cclose')

  -- An edit above moves the places.
  local before = at(a)
  a:lua([[
    local buf = vim.fn.bufnr('pool.go')
    vim.api.nvim_buf_set_lines(buf, 0, 0, false, { '// moved', '' })
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      if vim.api.nvim_win_get_buf(win) == buf then vim.api.nvim_set_current_win(win) end
    end
    vim.cmd('wincmd p')
    vim.api.nvim_set_current_win(vim.fn.bufwinid('hocket://steps'))]])
  a:lua([[vim.fn.search('pool.go:', 'w')]])
  press(a, 'l')
  check('the steps are two lines below', H.until_true(function()
    local s = a:lua([[
      local s = require('hocket.steps').state()
      for _, x in ipairs(s and s.steps or {}) do
        if x.location and x.file == 'pool.go' then return x.location.range.start.line + 1 - x.line end
      end]])
    return s == 2
  end), before)

  -- A breakpoint, and the way to the line.
  press(a, 'gg]s<CR>')
  check('Enter goes to the line', H.until_true(function() return a:lua("return vim.bo.filetype") == 'go' end), at(a))
  a:lua("vim.api.nvim_set_current_win(vim.fn.bufwinid('hocket://steps'))")
  press(a, 'b')
  check('b sets a place', H.until_true(function()
    return a:lua("return #seen.questions > 0 and table.concat(seen.questions[#seen.questions], ' ')") ~= nil and a:lua("return vim.bo.filetype") == 'go'
  end, long))
  a:lua("vim.api.nvim_set_current_win(vim.fn.bufwinid('hocket://steps'))")
  press(a, 'q')
  check('q closes it, and nothing stays in the code', H.until_true(function() return a:lua("return require('hocket.steps').state() == nil") and (code(a).texts or '') == '' end), code(a))
  a:quit()
end)
