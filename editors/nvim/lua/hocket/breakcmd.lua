-- What users do with concurrent breakpoints: the subcommands of :Hocket,
-- and the server's commands that lenses and code actions name.
local breaks = require('hocket.breaks')
local commands = require('hocket.commands')
local compat = require('hocket.compat')
local say = require('hocket.say').say

local M = {}

local candidates = {} -- of the pending place, most suspicious first
local choosing = false -- the next :Hocket pair takes the cursor's line

-- ask sends a command; done gets its answer. failed, if given, gets the message
-- of an error, which is shown otherwise.
local function ask(client, name, arg, done, failed)
  local ok = compat.execute(client, name, arg, function(err, result)
    if err and err.code == -32800 then
      return -- cancelled
    elseif err then
      local message = commands.as_typed(err.message or 'failed')
      if failed then
        return failed(message)
      end
      return say(message, vim.log.levels.ERROR)
    end
    done(type(result) == 'table' and result or {})
  end)
  if not ok then
    say('the server does not run: :Hocket restart starts it', vim.log.levels.ERROR)
  end
end

local function told(result)
  if result.message and result.message ~= '' then
    say(result.message)
  end
end

local function short(uri, line)
  return ('%s:%d'):format(vim.fn.fnamemodify(vim.uri_to_fname(uri), ':t'), line + 1)
end

-- named returns a breakpoint as one line.
local function named(b)
  local texts = {}
  for _, s in ipairs(b.sides) do
    table.insert(texts, ('%s (%s)'):format(s.text, short(s.uri, s.range.start.line)))
  end
  local more = b.off and ', off' or (breaks.outcome(b) and ', ' .. breaks.outcome(b) or '')
  return ('%s: %s%s'):format(b.id, table.concat(texts, ' <-> '), more)
end

-- here returns the client of the current buffer and the cursor's place, or says
-- what is missing.
local function here()
  local client = commands.client_of(vim.api.nvim_get_current_buf())
  if not client then
    return
  end
  local place = commands.place(client)
  if not place.position then
    return say('put the cursor on a statement of a Go file', vim.log.levels.ERROR)
  end
  return client, place
end

-- which calls fn with a breakpoint and its client: the one of an id, of the
-- cursor's line, or one that is chosen.
local function which(id, prompt, fn)
  local function go(one)
    local client = one and vim.lsp.get_client_by_id(one.client)
    if client then
      fn(one.b, client)
    end
  end
  local all = breaks.all()
  if id then
    all = vim.tbl_filter(function(one)
      return one.b.id == id
    end, all)
    if #all == 0 then
      return say(('there is no concurrent breakpoint %s: :Hocket breaks lists them'):format(id), vim.log.levels.ERROR)
    end
    return go(all[1])
  end
  local on_line = breaks.at(vim.uri_from_bufnr(0), vim.api.nvim_win_get_cursor(0)[1] - 1)
  if #on_line == 1 then
    return go(on_line[1])
  end
  all = #on_line > 0 and on_line or all
  if #all == 0 then
    return say('there are no concurrent breakpoints: :Hocket break sets one', vim.log.levels.ERROR)
  end
  vim.ui.select(all, {
    prompt = prompt,
    format_item = function(one)
      return named(one.b)
    end,
  }, go)
end

-- of names a breakpoint: an id is one of its module.
local function of(b, more)
  return vim.tbl_extend('force', { id = b.id, uri = b.sides[1] and b.sides[1].uri }, more or {})
end

local function complete(client, place)
  ask(client, 'break.pair', { uri = place.uri, position = place.position }, function(result)
    candidates, choosing = {}, false
    told(result)
  end)
end

-- partner asks for the second place. line is that of the cursor, if it can be it.
local function partner(client, pending, line)
  local items = {}
  for _, c in ipairs(candidates) do
    local detail = type(c.detail) == 'string' and c.detail ~= '' and ' - ' .. c.detail or ''
    local place = short(c.uri, c.range.start.line)
    place = c.label:find(place, 1, true) and '' or (' (%s)'):format(place)
    table.insert(items, {
      text = c.label .. place .. detail,
      place = { uri = c.uri, position = c.range.start },
    })
  end
  if line then
    table.insert(items, { text = 'this line: ' .. short(line.uri, line.position.line), place = line })
  end
  table.insert(items, { text = 'a line I choose: go to it, then :Hocket pair' })
  vim.ui.select(items, {
    prompt = ('Pair %s (%s) with'):format(pending.text, short(pending.uri, pending.range.start.line)),
    format_item = function(item)
      return item.text
    end,
  }, function(item)
    if not item then
      return
    elseif not item.place then
      choosing = true
    else
      complete(client, item.place)
    end
  end)
end

-- set makes a place the first one, and asks for the second.
local function set(client, place)
  ask(client, 'break.set', place, function(result)
    candidates = type(result.candidates) == 'table' and result.candidates or {}
    choosing = false
    if #candidates == 0 and type(result.note) == 'string' and result.note ~= '' then
      say(result.note)
    end
    partner(client, result.pending)
  end)
end

function M.set()
  local client, place = here()
  if client then
    set(client, place)
  end
end

function M.pair()
  local client, place = here()
  if not client then
    return
  end
  local pending = breaks.pending()
  if not pending then
    return say('there is no first place: use :Hocket break on it', vim.log.levels.ERROR)
  elseif choosing then
    return complete(client, place)
  end
  local same = pending.uri == place.uri and pending.range.start.line == place.position.line
  partner(client, pending, not same and place or nil)
end

-- list puts all sides into the quickfix list.
function M.list()
  local items = {}
  for _, one in ipairs(breaks.all()) do
    local b = one.b
    for _, s in ipairs(b.sides) do
      local more = s.lost ~= '' and 'lost: ' .. s.lost or b.off and 'off' or breaks.outcome(b)
      table.insert(items, {
        filename = vim.uri_to_fname(s.uri),
        lnum = s.range.start.line + 1,
        col = s.range.start.character + 1,
        text = ('%s side %d of %d: %s%s'):format(b.id, s.side, s.of, s.text, more and ' (' .. more .. ')' or ''),
        type = s.lost ~= '' and 'W' or 'I',
      })
    end
  end
  vim.fn.setqflist({}, ' ', { title = 'Hocket concurrent breakpoints', items = items })
  if #items == 0 then
    return say('there are no concurrent breakpoints: :Hocket break sets one')
  end
  vim.cmd('botright copen')
end

local function sides_of(text)
  local sides = {}
  for word in text:gmatch('[^%s,;]+') do
    table.insert(sides, tonumber(word) or word)
  end
  return sides -- an empty list takes the order away
end

local function questions(b)
  local order = {}
  for _, side in ipairs(type(b.order) == 'table' and b.order or {}) do
    table.insert(order, tostring(side))
  end
  return {
    { field = 'if', text = 'condition', value = b['if'] or '', prompt = 'Condition (t1.x == t2.y, empty: always): ' },
    { field = 'order', text = 'order', value = table.concat(order, ','), prompt = 'Order of release (2,1): ', read = sides_of },
    { field = 'timeout', text = 'timeout', value = b.timeout or '', prompt = 'Timeout (100ms): ' },
  }
end

-- change asks for a new value until the server takes it, or the user gives up.
local function change(b, client, q, value)
  vim.ui.input({ prompt = q.prompt, default = value }, function(typed)
    if typed == nil then
      return
    end
    local text = vim.trim(typed)
    local fields = { [q.field] = q.read and q.read(text) or text }
    ask(client, 'break.edit', of(b, fields), told, function(message)
      say(message, vim.log.levels.ERROR)
      change(b, client, q, text)
    end)
  end)
end

function M.edit(id)
  which(id, 'Edit', function(b, client)
    vim.ui.select(questions(b), {
      prompt = 'Edit of ' .. named(b),
      format_item = function(q)
        return ('%s: %s'):format(q.text, q.value == '' and 'none' or q.value)
      end,
    }, function(q)
      if q then
        change(b, client, q, q.value)
      end
    end)
  end)
end

function M.toggle(id)
  which(id, 'Turn on or off', function(b, client)
    ask(client, 'break.edit', of(b, { off = not b.off }), told)
  end)
end

function M.remove(id)
  which(id, 'Remove', function(b, client)
    ask(client, 'break.remove', of(b), told)
  end)
end

-- subject returns what is run: a breakpoint, an entry of the file's package, or
-- the breakpoint of the cursor's line, else all of the package.
local function subject(what)
  local client, place = here()
  if not client then
    return
  end
  for _, one in ipairs(breaks.all()) do
    if one.b.id == what then
      return client, of(one.b)
    end
  end
  if what then
    return client, { uri = place.uri, entry = what }
  end
  local on_line = breaks.at(place.uri, place.position.line)
  return client, #on_line == 1 and of(on_line[1].b) or { uri = place.uri }
end

local function run(client, arg)
  ask(client, 'break.run', arg, function(result)
    local failed = (result.failed or 0) > 0
    say(result.message or ('%d of %d runs failed'):format(result.failed or 0, result.runs or 0), failed and vim.log.levels.WARN or vim.log.levels.INFO)
  end)
end

function M.run(what)
  local client, arg = subject(what)
  if client then
    run(client, arg)
  end
end

local function debug_(client, arg)
  ask(client, 'break.debug', arg, function(answer)
    require('hocket.debug').start(answer)
  end)
end

function M.debug(what)
  local client, arg = subject(what)
  if client then
    debug_(client, arg)
  end
end

-- finding turns a finding, of an id or of the cursor's place, into breakpoints.
function M.finding(id)
  local client, place = here()
  if client then
    ask(client, 'break.fromFinding', id and { id = id, uri = place.uri } or place, told)
  end
end

-- conflicts puts the conflicting places of the file's package into the quickfix
-- list, a pair after the other.
local function conflicts(client, arg)
  ask(client, 'conflicts', arg, function(result)
    local items = {}
    for n, pair in ipairs(type(result.pairs) == 'table' and result.pairs or {}) do
      for _, s in ipairs(pair.sides) do
        table.insert(items, {
          filename = vim.uri_to_fname(s.uri),
          lnum = s.range.start.line + 1,
          col = s.range.start.character + 1,
          text = ('%d %s, %s: %s (%s)'):format(n, pair.kind, pair.what, s.label, pair.why or ''),
          type = 'I',
        })
      end
    end
    told(result)
    vim.fn.setqflist({}, ' ', { title = 'Hocket conflicts', items = items })
    if #items > 0 then
      vim.cmd('botright copen')
    end
  end)
end

function M.conflicts()
  local client, place = here()
  if client then
    conflicts(client, { uri = place.uri })
  end
end

local plain = {
  set = function(client, arg)
    set(client, { uri = arg.uri, position = arg.position })
  end,
  run = run,
  debug = debug_,
}

-- execute runs a command of the server that a lens or a code action names.
function M.execute(client, name, arg)
  arg = vim.tbl_extend('force', arg or {}, {})
  -- Outcomes are shown here.
  arg.show, arg.wait = nil, nil
  local short_name = name:gsub('^break%.', '')
  if name == 'conflicts' then
    return conflicts(client, arg)
  elseif plain[short_name] then
    return plain[short_name](client, arg)
  end
  ask(client, name, arg, told)
end

-- commands are the names of the server's commands that execute runs.
M.commands = { 'break.set', 'break.pair', 'break.edit', 'break.remove', 'break.run', 'break.debug', 'break.fromFinding', 'conflicts' }

-- ids returns the ids of the breakpoints, for completion.
function M.ids()
  local found = {}
  for _, one in ipairs(breaks.all()) do
    table.insert(found, one.b.id)
  end
  return found
end

return M
