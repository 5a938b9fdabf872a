-- The code window of the steps of a finding: the line of a step, with texts behind lines.
-- The state is that of hocket.steps, which says what is shown.
local M = {}

local code_ns = vim.api.nvim_create_namespace('hocket.steps.code')

-- So many lines show what was seen before.
local max_values = 12

-- window is where the code is shown: the last one that had it, else any other of
-- the tab page, else a new one.
function M.window(state)
  local own = vim.fn.bufwinid(state.buf)
  if state.code and vim.api.nvim_win_is_valid(state.code) and state.code ~= own
    and vim.bo[vim.api.nvim_win_get_buf(state.code)].buftype == '' then
    return state.code
  end
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = vim.api.nvim_win_get_buf(win)
    if win ~= own and vim.bo[buf].buftype == '' and vim.api.nvim_win_get_config(win).relative == '' then
      state.code = win
      return win
    end
  end
  vim.api.nvim_win_call(own, function()
    vim.cmd('aboveleft new')
    state.code = vim.api.nvim_get_current_win()
  end)
  return state.code
end

function M.clear(state)
  for buf in pairs(state and state.marked or {}) do
    if vim.api.nvim_buf_is_loaded(buf) then
      vim.api.nvim_buf_clear_namespace(buf, code_ns, 0, -1)
    end
  end
  if state then
    state.marked = {}
  end
end

local function mark(state, uri, line, opts)
  local buf = vim.uri_to_bufnr(uri)
  if not vim.api.nvim_buf_is_loaded(buf) or line >= vim.api.nvim_buf_line_count(buf) then
    return
  end
  state.marked[buf] = true
  vim.api.nvim_buf_set_extmark(buf, code_ns, line, 0, opts)
end

-- values are what was seen before the step on the lines of its file, the latest of each.
local function values(step, list)
  local found, n, past = {}, 0, false
  for i = #list, 1, -1 do
    local s = list[i]
    if past and s.location and s.location.uri == step.location.uri and s.happens ~= '' and s.happens ~= '-' then
      local line = s.location.range.start.line
      if not found[line] and line ~= step.location.range.start.line and n < max_values then
        found[line], n = ('%s: %s'):format(s.goroutine, s.happens), n + 1
      end
    end
    past = past or s.number == step.number
  end
  return found
end

local function text_after(text, group)
  return { virt_text = { { '   ' .. text, group } }, virt_text_pos = 'eol', hl_mode = 'combine' }
end

-- show goes to a step's line, and puts what happened there, what was seen before it in
-- the list of steps, and where the others are behind the lines.
function M.show(state, step, list)
  M.clear(state)
  if not step.location then
    return
  end
  local start = step.location.range.start
  local buf, win = vim.uri_to_bufnr(step.location.uri), M.window(state)
  vim.fn.bufload(buf)
  vim.bo[buf].buflisted = true
  if vim.api.nvim_win_get_buf(win) ~= buf then
    vim.api.nvim_win_set_buf(win, buf)
  end
  local line = math.min(start.line + 1, vim.api.nvim_buf_line_count(buf))
  vim.api.nvim_win_set_cursor(win, { line, start.character })
  vim.api.nvim_win_call(win, function()
    if vim.fn.line('.') < vim.fn.line('w0') + 2 or vim.fn.line('.') > vim.fn.line('w$') - 2 then
      vim.cmd('normal! zz')
    end
  end)
  for at, text in pairs(values(step, list)) do
    mark(state, step.location.uri, at, text_after(text, 'HocketStepValue'))
  end
  local here = {}
  for _, e in ipairs(type(step.elsewhere) == 'table' and step.elsewhere or {}) do
    local key = e.location.uri .. '\n' .. e.location.range.start.line
    if e.location.uri ~= step.location.uri or e.location.range.start.line ~= start.line then
      here[key] = here[key] or { e.location, {} }
      table.insert(here[key][2], e.goroutine)
    end
  end
  for _, e in pairs(here) do
    local opts = text_after(table.concat(e[2], ', ') .. (#e[2] > 1 and ' are here' or ' is here'), 'HocketStepElsewhere')
    opts.line_hl_group = 'HocketStepElsewhere'
    mark(state, e[1].uri, e[1].range.start.line, opts)
  end
  local told = ('%s: %s'):format(step.goroutine, step.happens)
  if step.differs and step.other then
    told = ('%s   (%s run: %s)'):format(told, state.run == 'failing' and 'passing' or 'failing', step.other)
  end
  local opts = text_after(told, 'HocketStepText')
  opts.line_hl_group, opts.priority = 'HocketStep', 5000
  mark(state, step.location.uri, start.line, opts)
end

return M
