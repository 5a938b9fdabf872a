-- The runs of a finding step by step: a window with a line a step. The code window
-- follows the cursor, with what happened behind the lines.
local stepcode = require('hocket.stepcode')
local compat = require('hocket.compat')
local say = require('hocket.say').say

local M = {}

local list_ns = vim.api.nvim_create_namespace('hocket.steps')

-- So many steps of a fold are shown at once.
local unfolded_at_once = 100

-- Links, so that a colour scheme can say otherwise.
local groups = {
  HocketStep = 'CursorLine',
  HocketStepText = 'DiagnosticVirtualTextWarn',
  HocketStepValue = 'Comment',
  HocketStepElsewhere = 'Folded',
  HocketStepDiffers = 'DiagnosticInfo',
  HocketStepSwitch = 'WarningMsg',
  HocketStepFold = 'Comment',
  HocketStepFails = 'ErrorMsg',
  HocketStepCause = 'Bold',
}

-- What is shown: the answer of hocket.schedule, the run, for each line of the buffer
-- what it stands for, and what was counted. One at a time.
local state

local function highlights()
  for name, link in pairs(groups) do
    if vim.fn.hlexists(name) == 0 then
      vim.cmd(('highlight default link %s %s'):format(name, link))
    end
  end
end

local function pad(text, width)
  local n = vim.fn.strdisplaywidth(text)
  return n < width and text .. (' '):rep(width - n) or text
end

local function place(step)
  return ('%s:%d'):format(step.file:match('[^/]*$'), step.line)
end

-- lanes draws the goroutines as columns: who does the step, and of which row it is.
local function lanes(step)
  local out = {}
  for i in ipairs(state.answer.lanes) do
    local mark = '│ '
    if i - 1 == step.lane then
      mark = step.row and pad(tostring(step.row), 2) or '○ '
    end
    table.insert(out, mark)
  end
  return table.concat(out)
end

local function steps()
  return state.answer[state.run]
end

-- lines returns the text of the buffer, and for each line {step=} or {switch=, step=}.
local function lines()
  local a, text, of = state.answer, {}, {}
  local function add(line, what)
    table.insert(text, (line:gsub('\n', ' ')))
    table.insert(of, what or {})
  end
  add(('%s: %s'):format(a.entry, a.title))
  for _, note in ipairs({ a.state, a.note }) do
    if note ~= '' then
      add(note)
    end
  end
  add((a.sentence:gsub('`', '')))
  for _, answer in ipairs(state.answers) do
    add(answer)
  end
  add(('the %s run, %d steps:  %s'):format(state.run, a.steps[state.run], table.concat(a.lanes, '  ')))
  local names, places = 0, 0
  for _, s in ipairs(steps()) do
    if not s['until'] then
      names, places = math.max(names, vim.fn.strdisplaywidth(s.goroutine)), math.max(places, #place(s))
    end
  end
  for _, s in ipairs(steps()) do
    if s['until'] then
      add(('       ⋮ %s'):format(s.code), { step = s })
    else
      local switch = state.run == 'failing' and s.switch and a.switches[s.switch]
      if switch then
        add(('       ─ %s'):format(switch.words), { step = s, switch = switch })
      end
      local other = ''
      if s.differs and s.other then
        other = ('   (%s run: %s)'):format(state.run == 'failing' and 'passing' or 'failing', s.other)
      end
      add(('%5d %s %s %s  %s  %s · %s%s'):format(s.number, s.differs and '*' or ' ', lanes(s), pad(s.goroutine, names), pad(place(s), places), s.code, s.happens, other), { step = s })
    end
  end
  return text, of
end

local function colour(text)
  vim.api.nvim_buf_clear_namespace(state.buf, list_ns, 0, -1)
  for i, what in ipairs(state.of) do
    local s, group = what.step, nil
    if what.switch then
      group = 'HocketStepSwitch'
    elseif s and s['until'] then
      group = 'HocketStepFold'
    elseif s and (s.role == 'fails' or s.role == 'waits') then
      group = 'HocketStepFails'
    elseif s and s.differs then
      group = 'HocketStepDiffers'
    elseif s and s.row then
      group = 'HocketStepCause'
    end
    if group then
      vim.api.nvim_buf_set_extmark(state.buf, list_ns, i - 1, 0, { end_col = #text[i], hl_group = group })
    end
  end
end

local function line_of(number)
  for i, what in ipairs(state.of) do
    local s = what.step
    if s and not what.switch and s.number <= number and number <= (s['until'] or s.number) then
      return i
    end
  end
end

-- draw writes the buffer, with the cursor at a step.
local function draw(number)
  local text
  text, state.of = lines()
  vim.bo[state.buf].modifiable = true
  vim.api.nvim_buf_set_lines(state.buf, 0, -1, false, text)
  vim.bo[state.buf].modifiable = false
  colour(text)
  local win = vim.fn.bufwinid(state.buf)
  local at = line_of(number)
  if win ~= -1 and at then
    vim.api.nvim_win_set_cursor(win, { at, 0 })
  end
end

-- current is what the cursor's line stands for.
local function current()
  local win = state and vim.fn.bufwinid(state.buf) or -1
  if win == -1 then
    return {}
  end
  return state.of[vim.api.nvim_win_get_cursor(win)[1]] or {}
end

-- follow shows the step at the cursor in the code window.
local function follow()
  local step = state and current().step
  if not step or (state.at and state.at == step and state.shown) then
    return
  end
  state.at, state.shown = step, true
  stepcode.show(state, step, steps())
end

-- ask has the server tell the steps, and then draws them.
local function ask(done)
  local arg = { id = state.id, uri = state.uri, unfold = state.unfolded }
  local asked = state
  compat.execute(state.client, 'schedule', arg, function(err, answer)
    if state ~= asked then -- another finding, or none
      return
    end
    if err then
      return say(require('hocket.commands').as_typed(err.message), vim.log.levels.ERROR)
    end
    state.answer, state.shown = answer, false
    done()
  end)
end

local function again()
  local number = (current().step or { number = 1 }).number
  ask(function()
    draw(number)
    follow()
  end)
end

local act = {}

local function jump(forward)
  if state.run == 'passing' then
    act.other()
  end
  local from = vim.api.nvim_win_get_cursor(0)[1]
  local to
  for i, what in ipairs(state.of) do
    if what.switch and ((forward and i > from and not to) or (not forward and i + 1 < from)) then
      to = i + 1
    end
  end
  if to then
    vim.api.nvim_win_set_cursor(0, { to, 0 })
    follow()
  else
    say(forward and 'there is no switch after this step' or 'there is no switch before this step')
  end
end

function act.next_switch()
  jump(true)
end

function act.previous_switch()
  jump(false)
end

function act.other()
  local there = state.run == 'failing' and 'passing' or 'failing'
  if #state.answer[there] == 0 then
    return say('there was no passing run to compare with')
  end
  local step, to = current().step, 1
  for _, s in ipairs(steps()) do
    if type(s.twin) == 'number' then
      to = s.twin
    end
    if s == step then
      break
    end
  end
  state.run, state.shown = there, false
  draw(to)
  follow()
end

function act.enter()
  local step = current().step
  if not step then
    return
  end
  if step['until'] then
    table.insert(state.unfolded, { run = state.run, from = step.number, to = math.min(step['until'], step.number + unfolded_at_once - 1) })
    return again()
  end
  if not step.location then
    return say('this step has no line in the text of today')
  end
  vim.api.nvim_set_current_win(stepcode.window(state))
end

function act.fold()
  if #state.unfolded > 0 then
    state.unfolded = {}
    again()
  end
end

function act.debug()
  local step = state.run == 'failing' and current().step
  local arg = { id = state.id, uri = state.uri, step = step and step.number or nil }
  compat.execute(state.client, 'debug', arg, function(err, answer)
    if err then
      return say(require('hocket.commands').as_typed(err.message), vim.log.levels.ERROR)
    end
    require('hocket.debug').start(answer)
  end)
end

function act.breakpoint()
  local step = current().step
  if not step or not step.location then
    return say('this step has no line in the text of today')
  end
  vim.api.nvim_set_current_win(stepcode.window(state))
  require('hocket.breakcmd').set()
end

-- questions are what can be left out at the cursor.
local function questions()
  local what, found = current(), {}
  if state.run ~= 'failing' or not what.step then
    return found
  end
  local n = what.step.number
  for _, before in ipairs({ true, false }) do
    for _, s in ipairs(state.answer.switches) do
      if (before and s.before == n) or (not before and s.after == n and not what.switch) then
        table.insert(found, { switch = s.number, label = s.words })
      end
    end
  end
  for _, o in ipairs(what.switch and {} or state.answer.orders) do
    if o.before == n or o.after == n then
      table.insert(found, { order = o.number, label = ('order %d: step %d before step %d'):format(o.number, o.before, o.after) })
    end
  end
  return found
end

local function count(question)
  local arg = { id = state.id, uri = state.uri, switch = question.switch, order = question.order }
  local asked = state
  say('what if not ' .. question.label:match('^%a+ %d+') .. '? It is being run')
  compat.execute(state.client, 'whatIf', arg, function(err, answer)
    if err then
      if err.code ~= -32800 then
        say(require('hocket.commands').as_typed(err.message), vim.log.levels.ERROR)
      end
      return
    end
    say(answer.message, answer.failed > 0 and vim.log.levels.WARN or vim.log.levels.INFO)
    if state ~= asked then
      return
    end
    local note = answer.note ~= '' and (' (%s)'):format(answer.note) or ''
    local counted = answer.runs > 0 and ('%d of %d failed'):format(answer.failed, answer.runs) or 'nothing is known'
    table.insert(state.answers, ('without %s: %s%s'):format(answer.without, counted, note))
    draw((current().step or { number = 1 }).number)
  end)
end

function act.what_if()
  local found = questions()
  if #found == 0 then
    return say('there is no switch or order at this step; ]s and [s lead to switches', vim.log.levels.WARN)
  end
  if #found == 1 then
    return count(found[1])
  end
  vim.ui.select(found, {
    prompt = 'Hocket: what if not',
    kind = 'hocket',
    format_item = function(q)
      return q.label
    end,
  }, function(q)
    if q and state then
      count(q)
    end
  end)
end

function act.quickfix()
  local items = {}
  for _, s in ipairs(steps()) do
    if s.location then
      local start = s.location.range.start
      table.insert(items, {
        filename = vim.uri_to_fname(s.location.uri),
        lnum = start.line + 1,
        col = start.character + 1,
        text = ('%d %s: %s · %s'):format(s.number, s.goroutine, s.code, s.happens),
        type = s.differs and 'W' or 'I',
      })
    end
  end
  vim.fn.setqflist({}, ' ', { title = ('Hocket: the %s run of %s'):format(state.run, state.answer.entry), items = items })
  vim.cmd('botright copen')
end

function act.close()
  local win = vim.fn.bufwinid(state.buf)
  if win ~= -1 and #vim.api.nvim_tabpage_list_wins(0) > 1 then
    vim.api.nvim_win_close(win, true)
  else
    M.clear()
  end
end

local keys = {
  [']s'] = 'next_switch',
  ['[s'] = 'previous_switch',
  ['<Tab>'] = 'other',
  ['<CR>'] = 'enter',
  ['zM'] = 'fold',
  d = 'debug',
  b = 'breakpoint',
  w = 'what_if',
  Q = 'quickfix',
  q = 'close',
}

-- clear ends it: nothing of it stays in the code.
function M.clear()
  stepcode.clear(state)
  state = nil
end

local function prepare(buf)
  for key, what in pairs(keys) do
    vim.keymap.set('n', key, function()
      if state then
        act[what]()
      end
    end, { buffer = buf, nowait = true, desc = 'Hocket: ' .. what:gsub('_', ' ') })
  end
  local group = vim.api.nvim_create_augroup('hocket.steps', { clear = true })
  vim.api.nvim_create_autocmd('CursorMoved', { group = group, buffer = buf, callback = follow })
  vim.api.nvim_create_autocmd('WinEnter', {
    group = group,
    buffer = buf,
    callback = function()
      if state and state.answer and state.tick ~= M.tick() then
        state.tick = M.tick()
        again()
      end
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufWinLeave', 'BufWipeout' }, { group = group, buffer = buf, callback = vim.schedule_wrap(function()
    if state and vim.fn.bufwinid(state.buf) == -1 then
      M.clear()
    end
  end) })
end

-- tick changes when a Go buffer is edited.
function M.tick()
  local sum = 0
  for _, buf in ipairs(require('hocket.client').go_buffers()) do
    sum = sum + vim.api.nvim_buf_get_changedtick(buf)
  end
  return sum
end

-- open shows the runs of a finding. arg is that of hocket.schedule.
function M.open(client, arg, mods)
  compat.execute(client, 'schedule', { id = arg.id, uri = arg.uri, position = arg.position }, function(err, answer)
    if err then
      return say(require('hocket.commands').as_typed(err.message), vim.log.levels.ERROR)
    end
    highlights()
    if state then
      stepcode.clear(state)
    end
    local code = vim.api.nvim_get_current_win()
    local kept = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(code)):match('^hocket://') and state and state.code or code
    local buf = require('hocket.window').scratch('steps/' .. answer.id, {}, 'hocketsteps', (mods and mods ~= '') and mods or 'botright')
    vim.api.nvim_win_set_height(0, math.max(8, math.floor(vim.o.lines / 3)))
    vim.wo.cursorline = true
    state = {
      client = client, id = answer.id, uri = arg.uri, answer = answer, run = 'failing', buf = buf, code = kept,
      of = {}, unfolded = {}, answers = {}, marked = {}, tick = M.tick(),
    }
    prepare(buf)
    local first = answer.failing[1] and answer.failing[1].number or 1
    for _, s in ipairs(answer.failing) do
      if s.row then
        first = s.number
        break
      end
    end
    draw(first)
    follow()
  end)
end

-- For tests and status lines.
function M.state()
  return state and { run = state.run, step = current().step, switch = current().switch, answers = state.answers, steps = steps() }
end

return M
