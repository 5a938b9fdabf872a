-- Messages to the user.
local M = {}

-- Whether vim.notify is Neovim's own, which writes to the message line, and not
-- one of a plugin that has room.
local function stock()
  local source = debug.getinfo(vim.notify, 'S').source
  return source == '?' or source:find('vim/_', 1, true) ~= nil
end

-- fit shortens a line to the message line. A longer one would ask for Enter, and
-- swallow the key that is typed next: outcomes come while one types.
function M.fit(text)
  local room = vim.v.echospace
  if text:find('\n', 1, true) or vim.fn.strdisplaywidth(text) <= room then
    return text
  end
  return vim.fn.strcharpart(text, 0, room - 1) .. '…'
end

-- say shows a message. Errors are shown whole.
function M.say(message, level)
  level = level or vim.log.levels.INFO
  local text = 'hocket: ' .. message:gsub('^hocket: ', '')
  if level < vim.log.levels.ERROR and stock() then
    text = M.fit(text)
    -- Two messages without a redraw in between would ask for Enter as well.
    vim.cmd('redraw')
  end
  vim.notify(text, level)
end

return M
