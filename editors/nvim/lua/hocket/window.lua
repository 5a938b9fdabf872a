-- Windows for what the server writes.
local M = {}

-- scratch shows lines in a window of its own; one with the same name is used
-- again. mods are those of :Hocket, such as "vertical".
function M.scratch(name, lines, filetype, mods)
  local full = 'hocket://' .. name
  local buf = vim.fn.bufnr('^' .. vim.fn.escape(full, '[]*?\\') .. '$')
  if buf == -1 then
    buf = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buf, full)
  end
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  local win = vim.fn.bufwinid(buf)
  if win ~= -1 then
    vim.api.nvim_set_current_win(win)
  else
    vim.cmd((mods or '') .. ' split')
    vim.api.nvim_win_set_buf(0, buf)
    win = vim.api.nvim_get_current_win()
  end
  vim.bo[buf].filetype = filetype
  vim.wo[win].wrap = false -- tables
  vim.wo[win].spell = false
  vim.wo[win].number = false
  vim.wo[win].relativenumber = false
  return buf, win
end

-- float shows the contents of a hover at the cursor. Nothing is wrapped, as
-- tables would be unreadable; a second call goes into the window.
function M.float(contents)
  local lines = vim.lsp.util.convert_input_to_markdown_lines(contents)
  while lines[#lines] == '' do
    table.remove(lines)
  end
  return vim.lsp.util.open_floating_preview(lines, 'markdown', {
    border = 'rounded',
    focus_id = 'hocket',
    wrap = false,
    max_width = math.max(40, vim.o.columns - 4),
  })
end

return M
