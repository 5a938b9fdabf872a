-- The options. None is needed. They come, later ones first, from setup{...},
-- the table vim.g.hocket, and the defaults below.
local M = {}

local defaults = {
  -- The server, with arguments.
  cmd = { 'hocket', 'lsp' },
  -- Sent to the server: see :help hocket-settings, as nested tables
  -- ({ find = { budget = '2m' } }) or with dots ({ ['find.budget'] = '2m' }).
  settings = {},
  -- Start the server for Go files; otherwise :Hocket restart starts it.
  auto_start = true,
  -- Show the server's code lenses.
  codelens = true,
  -- Show signs beside tests: failing, changed since found, proved.
  signs = true,
  -- Show progress in the message line; off by itself where a progress plugin is.
  progress = true,
}

local given = {} -- by setup
local warned = {}

local function warn_once(key, message)
  if not warned[key] then
    warned[key] = true
    vim.notify('hocket: ' .. message, vim.log.levels.WARN)
  end
end

local function checked(options, where)
  if type(options) ~= 'table' then
    warn_once(where, ('%s is a %s, not a table; see :help hocket-config'):format(where, type(options)))
    return {}
  end
  local good = {}
  for key, value in pairs(options) do
    local default = defaults[key]
    if default == nil then
      warn_once(key, ('%s: no option %q; see :help hocket-config'):format(where, tostring(key)))
    elseif type(default) ~= type(value) then
      warn_once(key, ('%s.%s is a %s, not a %s; see :help hocket-config'):format(where, key, type(value), type(default)))
    else
      good[key] = value
    end
  end
  return good
end

-- get returns the options in force.
function M.get()
  local options = vim.deepcopy(defaults)
  for key, value in pairs(checked(vim.g.hocket or {}, 'vim.g.hocket')) do
    options[key] = value
  end
  for key, value in pairs(given) do
    options[key] = value
  end
  return options
end

function M.set(options)
  given = checked(options or {}, 'setup')
end

-- settings returns what the server gets as section "hocket": dots made into
-- tables, and an empty table that is an object in JSON.
function M.settings()
  local tree = vim.empty_dict()
  for key, value in pairs(M.get().settings) do
    local at, parts = tree, vim.split(key, '.', { plain = true })
    for i = 1, #parts - 1 do
      if type(at[parts[i]]) ~= 'table' then
        at[parts[i]] = {}
      end
      at = at[parts[i]]
    end
    local last = parts[#parts]
    if type(value) == 'table' and type(at[last]) == 'table' then
      value = vim.tbl_deep_extend('force', at[last], value)
    end
    at[last] = value
  end
  return { hocket = tree }
end

return M
