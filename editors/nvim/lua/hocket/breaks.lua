-- The concurrent breakpoints as the server last sent them, and how they are
-- drawn: signs at both ends, the outcome of the last runs after the line. The
-- server finds the places in the text; here nothing is computed.
local M = {}

local modules = {} -- client id → root → what hocket/breakpoints says
local ns = vim.api.nvim_create_namespace('hocket.breaks')
local group = 'hocket_breaks'
local problem = ''

-- What a side looks like: HocketBreakFirst goes on first, HocketBreak after it.
local highlights = {
  HocketBreakFirst = 'Special',
  HocketBreak = 'Special',
  HocketBreakOff = 'Comment',
  HocketBreakLost = 'ErrorMsg',
  HocketBreakPending = 'Comment',
  HocketBreakText = 'Comment',
}

local filled = { '❶', '❷', '❸', '❹', '❺', '❻', '❼', '❽', '❾' }
local rings = { '①', '②', '③', '④', '⑤', '⑥', '⑦', '⑧', '⑨' }

-- Circles are one column or two, by the option 'ambiwidth'; terminals whose
-- locale has no such characters show none.
local function pictures()
  return vim.fn.has('gui_running') == 1 or vim.v.ctype:lower():find('utf%-?8') ~= nil
end

-- text returns the two columns of a sign: the number is that of the side, as in
-- t1 and t2 of conditions; a filled circle goes on first.
local function text(look, side)
  if look == 'HocketBreakLost' then
    return (pictures() and vim.fn.strdisplaywidth('✗') == 1 and '✗' or 'x') .. (side > 9 and '+' or side)
  elseif not pictures() or side > 9 then
    return (look == 'HocketBreakFirst' and '>' or 'b') .. (side > 9 and '+' or side)
  end
  return (look == 'HocketBreakFirst' and filled or rings)[side]
end

-- looks returns a side's highlight group.
local function look_of(b, side)
  if side.lost and side.lost ~= '' then
    return 'HocketBreakLost'
  elseif b.off then
    return 'HocketBreakOff'
  end
  return side.order == 1 and 'HocketBreakFirst' or 'HocketBreak'
end

-- outcome returns "hit 100/100, failed 97" of the last runs, or nil.
function M.outcome(b)
  if type(b.last) == 'table' then
    return ('hit %d/%d, failed %d'):format(b.last.hits, b.last.runs, b.last.failed)
  end
end

local function remark(b, side)
  if side.lost and side.lost ~= '' then
    return 'lost: ' .. side.lost
  end
  return b.off and 'off' or M.outcome(b)
end

-- each calls fn with the id of the client and each module that it sent.
local function each(fn)
  for id, by_root in pairs(modules) do
    for _, module in pairs(by_root) do
      fn(module, id)
    end
  end
end

-- all returns the breakpoints of all modules, with the client that sent them.
function M.all()
  local found = {}
  each(function(module, id)
    for _, b in ipairs(module.breakpoints) do
      table.insert(found, { b = b, client = id })
    end
  end)
  return found
end

-- at returns those with a side on a line, from 0.
function M.at(uri, line)
  return vim.tbl_filter(function(one)
    for _, s in ipairs(one.b.sides) do
      if s.uri == uri and s.range.start.line <= line and line <= s.range['end'].line then
        return true
      end
    end
    return false
  end, M.all())
end

-- pending returns the first place that waits for a second one, if there is one.
function M.pending()
  local found
  each(function(module)
    if type(module.pending) == 'table' then
      found = module.pending
    end
  end)
  return found
end

-- marks returns what is drawn in a file: a list of { line, look, side, text }.
function M.marks(uri)
  local found = {}
  for _, one in ipairs(M.all()) do
    for _, s in ipairs(one.b.sides) do
      if s.uri == uri then
        table.insert(found, { id = one.b.id, line = s.range.start.line, look = look_of(one.b, s), side = s.side, text = remark(one.b, s) })
      end
    end
  end
  local pending = M.pending()
  if pending and pending.uri == uri then
    table.insert(found, { line = pending.range.start.line, look = 'HocketBreakPending', side = 1, text = 'pair with another place: :Hocket pair' })
  end
  return found
end

-- Several marks of a line have one remark, with ids where they are of several.
local function remarks(marks)
  local by_line = {}
  for _, m in ipairs(marks) do
    local l = by_line[m.line] or { ids = {}, texts = {} }
    by_line[m.line] = l
    l.ids[m.id or ''] = true
    if m.text then
      table.insert(l.texts, { id = m.id, text = m.text })
    end
  end
  local found = {}
  for line, l in pairs(by_line) do
    local several, parts = vim.tbl_count(l.ids) > 1, {}
    for _, t in ipairs(l.texts) do
      local part = several and t.id and (t.id .. ' ' .. t.text) or t.text
      if not vim.tbl_contains(parts, part) then
        table.insert(parts, part)
      end
    end
    found[line] = #parts > 0 and table.concat(parts, ' · ') or nil
  end
  return found
end

-- draw replaces the marks of a buffer.
function M.draw(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  vim.fn.sign_unplace(group, { buffer = bufnr })
  vim.api.nvim_buf_clear_namespace(bufnr, ns, 0, -1)
  local marks = M.marks(vim.uri_from_bufnr(bufnr))
  -- The server learns of an edit a moment later than the buffer.
  local lines = vim.api.nvim_buf_line_count(bufnr)
  for _, m in ipairs(marks) do
    local name = ('%s%d'):format(m.look, m.side)
    if m.line < lines then
      vim.fn.sign_define(name, { text = text(m.look, m.side), texthl = m.look })
      vim.fn.sign_place(0, group, name, bufnr, { lnum = m.line + 1, priority = m.look == 'HocketBreakOff' and 11 or 12 })
    end
  end
  for line, remark_text in pairs(remarks(marks)) do
    if line < lines then
      vim.api.nvim_buf_set_extmark(bufnr, ns, line, 0, { virt_text = { { '  ' .. remark_text, 'HocketBreakText' } }, hl_mode = 'combine' })
    end
  end
end

local function draw_all()
  for name, link in pairs(highlights) do
    vim.api.nvim_set_hl(0, name, { default = true, link = link })
  end
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].filetype == 'go' then
      M.draw(bufnr)
    end
  end
end

-- receive takes a notification hocket/breakpoints: all of one module.
function M.receive(module, client)
  modules[client] = modules[client] or {}
  local empty = #module.breakpoints == 0 and type(module.pending) ~= 'table'
  modules[client][module.root] = not empty and module or nil
  local told = type(module.problem) == 'string' and module.problem or ''
  if told ~= '' and told ~= problem then
    require('hocket.say').say(told, vim.log.levels.WARN)
  end
  problem = told
  draw_all()
end

-- forget drops what a server that has ended sent.
function M.forget(client)
  modules[client] = nil
  draw_all()
end

return M
