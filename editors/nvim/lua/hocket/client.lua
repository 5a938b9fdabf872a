-- The client: its configuration, and how messages of the server are handled.
local compat = require('hocket.compat')
local options = require('hocket.config')

local M = {}

local stopping = {} -- ids of clients that we ended ourselves
local versions = {} -- id → version of the server

-- Where `go install` puts binaries; often not in $PATH of a desktop's editor.
local function go_bin(name)
  local gopath = vim.split(os.getenv('GOPATH') or '', ':', { plain = true })[1]
  for _, dir in ipairs({ os.getenv('GOBIN') or '', gopath ~= '' and gopath .. '/bin' or '', vim.fn.expand('~/go/bin') }) do
    if dir ~= '' and vim.fn.executable(dir .. '/' .. name) == 1 then
      return dir .. '/' .. name
    end
  end
end

-- command returns the configured command, its first word made a path if it is
-- only in Go's folder of binaries.
function M.command()
  local cmd = options.get().cmd
  if vim.fn.executable(cmd[1]) == 0 and not cmd[1]:find('/') then
    cmd[1] = go_bin(cmd[1]) or cmd[1]
  end
  return cmd
end

-- runnable reports whether the server can be started, and says once if not.
local told = false
function M.runnable(cmd)
  if type(cmd) ~= 'table' or vim.fn.executable(cmd[1]) == 1 then
    return true
  end
  if not told then
    told = true
    vim.notify(
      ("hocket: can't run %q: install it with `go install github.com/hocket-dev/hocket/cmd/hocket@latest`, or name it in vim.g.hocket = { cmd = { '/path/to/hocket', 'lsp' } } (:help hocket-install)"):format(
        tostring(cmd[1])
      ),
      vim.log.levels.WARN
    )
  end
  return false
end

local function capabilities()
  local c = vim.lsp.protocol.make_client_capabilities()
  -- The same encoding as gopls': a buffer's servers with different ones make
  -- Neovim warn, and its position functions use that of the first.
  c.general = c.general or {}
  c.general.positionEncodings = { 'utf-16' }
  c.workspace = c.workspace or {}
  c.workspace.codeLens = { refreshSupport = true }
  local published = c.textDocument.publishDiagnostics or {}
  published.relatedInformation = true
  published.codeDescriptionSupport = true
  published.dataSupport = true
  published.versionSupport = true
  c.textDocument.publishDiagnostics = published
  c.experimental = vim.tbl_extend('force', c.experimental or {}, { hocketBreakpoints = true, hocketChanges = true })
  return c
end

local levels = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.INFO }

local function handlers()
  local h = {}
  h['$/progress'] = function(err, params, ctx, conf)
    require('hocket.progress').on_progress(params, ctx.client_id)
    return vim.lsp.handlers['$/progress'](err, params, ctx, conf)
  end
  h['hocket/breakpoints'] = function(_, params, ctx)
    require('hocket.breaks').receive(params, ctx.client_id)
  end
  h['hocket/changed'] = function(_, _, ctx)
    require('hocket.tests').changed(ctx.client_id)
  end
  h['window/showMessage'] = function(_, params)
    require('hocket.say').say(params.message, levels[params.type])
    return vim.NIL
  end
  if not compat.has('0.12') then -- which does it itself
    h['workspace/codeLens/refresh'] = function(_, _, ctx)
      require('hocket.lens').refresh_client(ctx.client_id)
      return vim.NIL
    end
  end
  return h
end

-- The server's commands run through ours, so that lenses, code actions and
-- :Hocket show outcomes alike.
local function commands()
  local c = {}
  for _, name in ipairs({ 'find', 'from', 'record', 'replay', 'explain', 'fix', 'applyFix', 'cancel', 'list' }) do
    c['hocket.' .. name] = function(command, ctx)
      local client = vim.lsp.get_client_by_id(ctx.client_id)
      if client then
        require('hocket.commands').run(client, name, (command.arguments or {})[1])
      end
    end
  end
  c['hocket.schedule'] = function(command, ctx)
    local client = vim.lsp.get_client_by_id(ctx.client_id)
    if client then
      require('hocket.steps').open(client, (command.arguments or {})[1])
    end
  end
  c['hocket.choose'] = function(command, ctx)
    local client = vim.lsp.get_client_by_id(ctx.client_id)
    if client then
      require('hocket.choose').run(client, (command.arguments or {})[1], ctx)
    end
  end
  for _, name in ipairs(require('hocket.breakcmd').commands) do
    c['hocket.' .. name] = function(command, ctx)
      local client = vim.lsp.get_client_by_id(ctx.client_id)
      if client then
        require('hocket.breakcmd').execute(client, name, (command.arguments or {})[1])
      end
    end
  end
  return c
end

-- execute runs a command of the server's as a lens or a code action would.
function M.execute(client, command, bufnr)
  local run = commands()[command.command]
  if run then
    run(command, { client_id = client.id, bufnr = bufnr })
  end
end

-- Called once for a client and a buffer, whatever started the client.
function M.on_attach(client, bufnr)
  if client.server_info and client.server_info.version then
    versions[client.id] = client.server_info.version
  end
  require('hocket.lens').attach(bufnr)
  require('hocket.breaks').draw(bufnr)
  require('hocket.tests').attach(bufnr)
end

-- Called by libuv's loop: nothing of the editor may be touched before schedule.
local function on_exit(code, signal, id)
  vim.schedule(function()
    local ours = stopping[id]
    stopping[id], versions[id] = nil, nil
    require('hocket.progress').forget(id)
    require('hocket.lens').forget(id)
    require('hocket.breaks').forget(id)
    require('hocket.tests').forget(id)
    if not compat.has('0.8') then
      for _, buf in ipairs(M.go_buffers()) do
        compat.keep_sync(buf)
      end
    end
    -- Neovim sends 15 to servers that are slow to stop.
    if ours or vim.v.exiting ~= vim.NIL or (code == 0 and (signal == 0 or signal == 15)) or code == 143 then
      return
    end
    local how = signal ~= 0 and ('was ended by signal %d'):format(signal) or ('ended with code %d'):format(code)
    vim.notify(
      ('hocket: the server %s; :Hocket restart starts it again, :Hocket log shows what it said'):format(how),
      vim.log.levels.ERROR
    )
  end)
end

-- config returns the client's configuration without a root.
function M.config()
  local settings = options.settings()
  return {
    name = 'hocket',
    cmd = M.command(),
    filetypes = { 'go' },
    settings = settings,
    init_options = settings.hocket,
    capabilities = capabilities(),
    handlers = handlers(),
    commands = commands(),
    offset_encoding = 'utf-16',
    on_init = function(client, result)
      versions[client.id] = result and result.serverInfo and result.serverInfo.version
    end,
    -- From 0.8 on LspAttach does this, which a user's on_attach can't replace.
    on_attach = not compat.has('0.8') and M.on_attach or nil,
    on_exit = on_exit,
  }
end

if compat.has('0.8') then
  vim.api.nvim_create_autocmd('LspAttach', {
    group = vim.api.nvim_create_augroup('hocket.attach', { clear = true }),
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client and client.name == 'hocket' then
        M.on_attach(client, event.buf)
      end
    end,
  })
end

-- go_buffers returns the loaded buffers that hold Go files.
function M.go_buffers()
  return vim.tbl_filter(function(buf)
    return vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].filetype == 'go' and vim.bo[buf].buftype == ''
  end, vim.api.nvim_list_bufs())
end

-- server_version returns what the server said of itself.
function M.server_version(client)
  return versions[client.id] or (client.server_info and client.server_info.version) or 'unknown'
end

-- stop ends a client, without a message.
function M.stop(client, force)
  stopping[client.id] = true
  compat.stop(client, force)
end

return M
