-- Debugging with concurrent breakpoints: by nvim-dap where it is installed, else
-- by Delve in a terminal.
local M = {}

-- The adapter of a configuration that carries how to start it.
local function adapter(done, config)
  local how = config.hocket
  done({
    type = 'executable',
    command = how.command,
    args = how.args,
    -- The program is built before the adapter answers.
    options = { cwd = how.cwd, env = how.env, initialize_timeout_sec = 120 },
  })
end

-- in_terminal runs the same without the protocol: the flag alone is Delve's own
-- command line.
local function in_terminal(how)
  local cmd = { how.command }
  for _, a in ipairs(how.args) do
    table.insert(cmd, (a:gsub('^(%-%-?debug)=.*$', '%1')))
  end
  vim.cmd('botright new')
  vim.fn.termopen(cmd, { cwd = how.cwd, env = how.env and next(how.env) and how.env or nil })
  vim.cmd('startinsert')
end

-- start starts a session as the answer of hocket.break.debug says.
function M.start(answer)
  local how = answer.adapter
  local ok, dap = pcall(require, 'dap')
  if not ok then
    return in_terminal(how)
  end
  dap.adapters['hocket-breakpoints'] = adapter
  dap.run(vim.tbl_extend('force', answer.configuration, { type = 'hocket-breakpoints', hocket = how }))
end

return M
