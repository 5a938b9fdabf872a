-- How tests stand, as signs beside them: failing, changed since, proved. The server says
-- when something has changed; then it is asked for the tests of the files that are shown.
local compat = require('hocket.compat')
local options = require('hocket.config')

local M = {}

local group = 'hocket_tests'
local priority = 9 -- below breakpoints

-- By what the server says: the sign, where there are only ASCII characters too, and
-- the highlight group with what it looks like by default.
local looks = {
  failing = { '✗', 'x', 'HocketTestFailing', 'DiagnosticError' },
  changed = { '~', '~', 'HocketTestChanged', 'Comment' },
  older = { '~', '~', 'HocketTestChanged', 'Comment' },
  fixed = { '✓', 'v', 'HocketTestProved', 'String' },
  proved = { '✓', 'v', 'HocketTestProved', 'String' },
  searched = { '·', '.', 'HocketTestSearched', 'Comment' },
}

local function sign_of(stands)
  local look = looks[stands]
  if not look then
    return nil
  end
  local name = 'HocketTest_' .. stands
  if #vim.fn.sign_getdefined(name) == 0 then
    local pictures = vim.fn.has('gui_running') == 1 or vim.v.ctype:lower():find('utf%-?8') ~= nil
    vim.api.nvim_set_hl(0, look[3], { default = true, link = look[4] })
    vim.fn.sign_define(name, { text = pictures and look[1] or look[2], texthl = look[3] })
  end
  return name
end

-- draw puts signs beside the tests of a buffer, of those of its package.
function M.draw(bufnr, tests)
  vim.fn.sign_unplace(group, { buffer = bufnr })
  local name = vim.api.nvim_buf_get_name(bufnr)
  for _, t in ipairs(tests) do
    local sign = vim.uri_to_fname(t.uri) == name and sign_of(t.stands)
    local line = t.range.start.line + 1
    if sign and line <= vim.api.nvim_buf_line_count(bufnr) then
      vim.fn.sign_place(0, group, sign, bufnr, { lnum = line, priority = priority })
    end
  end
end

local function ask(client, bufnr)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  compat.execute(client, 'tests', { uri = vim.uri_from_bufnr(bufnr) }, function(err, result)
    if err or type(result) ~= 'table' or not vim.api.nvim_buf_is_loaded(bufnr) then
      return
    end
    if vim.api.nvim_buf_get_changedtick(bufnr) ~= tick then
      -- Its lines are those of a text of before.
      compat.after(250, function()
        M.refresh(bufnr)
      end)
      return
    end
    local package = (((result.modules or {})[1] or {}).packages or {})[1] or {}
    M.draw(bufnr, package.tests or {})
  end)
end

-- refresh asks how the tests of a buffer stand.
function M.refresh(bufnr)
  if not options.get().signs or not vim.api.nvim_buf_is_loaded(bufnr) or vim.bo[bufnr].filetype ~= 'go' then
    return
  end
  for _, client in ipairs(compat.clients(bufnr)) do
    ask(client, bufnr)
  end
end

-- changed is called when the server says that something has changed.
function M.changed(id)
  local seen = {}
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local bufnr = vim.api.nvim_win_get_buf(win)
    if not seen[bufnr] and vim.lsp.buf_is_attached(bufnr, id) then
      seen[bufnr] = true
      M.refresh(bufnr)
    end
  end
end

-- attach keeps the signs of a buffer up to date from now on.
function M.attach(bufnr)
  local autocmds = vim.api.nvim_create_augroup('hocket.tests', { clear = false })
  vim.api.nvim_clear_autocmds({ group = autocmds, buffer = bufnr })
  vim.api.nvim_create_autocmd('BufWinEnter', {
    group = autocmds,
    buffer = bufnr,
    callback = function()
      M.refresh(bufnr)
    end,
  })
  M.refresh(bufnr)
end

-- forget removes the signs of a server that has ended; those of others are placed again.
function M.forget(id)
  vim.fn.sign_unplace(group)
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local bufnr = vim.api.nvim_win_get_buf(win)
    for _, client in ipairs(compat.clients(bufnr)) do
      if client.id ~= id then
        ask(client, bufnr)
      end
    end
  end
end

return M
