-- What can be done about the findings of a lens, a code action or the cursor: a list
-- to choose from.
local compat = require('hocket.compat')
local say = require('hocket.say').say

local M = {}

-- label is a choice in one line; where there are several findings, with which.
local function label(choice, several)
  if not several or choice.about == '' then
    return choice.title
  end
  local state = choice.state ~= '' and (' (%s)'):format(choice.state) or ''
  return ('%s%s: %s'):format(choice.about, state, choice.title)
end

-- run asks what to do, and does it.
function M.run(client, arg, ctx)
  arg = vim.tbl_extend('force', arg or {}, { ask = false })
  local params = { command = 'hocket.choose', arguments = { arg } }
  compat.request(client, 'workspace/executeCommand', params, function(err, answer)
    if err then
      return say(require('hocket.commands').as_typed(err.message), vim.log.levels.WARN)
    end
    local several, about = false, nil
    for _, c in ipairs(answer.choices) do
      several = several or (about ~= nil and c.about ~= '' and c.about ~= about)
      about = about or (c.about ~= '' and c.about or nil)
    end
    vim.ui.select(answer.choices, {
      prompt = 'Hocket: ' .. answer.title,
      kind = 'hocket',
      format_item = function(choice)
        return label(choice, several)
      end,
    }, function(choice)
      if choice then
        require('hocket.client').execute(client, choice, ctx.bufnr)
      end
    end)
  end, ctx.bufnr)
end

return M
