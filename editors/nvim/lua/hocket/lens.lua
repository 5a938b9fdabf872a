-- Code lenses. Neovim 0.12 keeps them up to date itself, once told to; before,
-- we ask for them when the text rests, and for Hocket's only: whether other
-- servers' lenses are shown is not ours to decide.
local compat = require('hocket.compat')
local options = require('hocket.config')

local M = {}

local native = vim.lsp.codelens.enable ~= nil
local rest = 250 -- ms without an edit
local waiting = {} -- bufnr → function that stops its timer

-- put hands an answer to Neovim, which draws it and runs what is chosen.
local function put(lenses, ctx)
  vim.lsp.codelens.on_codelens(nil, lenses, ctx)
  if #lenses == 0 then
    -- Drawing nothing leaves the old ones in place before 0.8.
    local ns = (vim.lsp.codelens.__namespaces or {})[ctx.client_id]
    if ns then
      vim.api.nvim_buf_clear_namespace(ctx.bufnr, ns, 0, -1)
    end
  end
end

local function ask(client, bufnr)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  compat.request(client, 'textDocument/codeLens', params, function(err, lenses, ctx)
    -- An answer for a text of before would be drawn on wrong lines; the edit
    -- that made it old has asked again.
    if err or not vim.api.nvim_buf_is_loaded(bufnr) or vim.api.nvim_buf_get_changedtick(bufnr) ~= tick then
      return
    end
    put(type(lenses) == 'table' and lenses or {}, ctx)
  end, bufnr)
end

-- refresh asks for the lenses of a buffer now.
function M.refresh(bufnr)
  if native or not options.get().codelens or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  for _, client in ipairs(compat.clients(bufnr)) do
    ask(client, bufnr)
  end
end

-- refresh_client asks for those of all buffers of a client.
function M.refresh_client(id)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.lsp.buf_is_attached(bufnr, id) then
      M.refresh(bufnr)
    end
  end
end

local function soon(bufnr)
  if waiting[bufnr] then
    waiting[bufnr]()
  end
  waiting[bufnr] = compat.after(rest, function()
    waiting[bufnr] = nil
    M.refresh(bufnr)
  end)
end

-- attach keeps the lenses of a buffer up to date from now on.
function M.attach(bufnr)
  if not options.get().codelens then
    return
  end
  if native then
    -- For the buffer, thus for all its servers: enabled for a client in a buffer
    -- only, 0.12 keeps lenses of a server that has died, and fails to draw them.
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
    return
  end
  -- Older colour schemes know no lenses, which would look like code.
  vim.api.nvim_set_hl(0, 'LspCodeLens', { default = true, link = 'Comment' })
  vim.api.nvim_set_hl(0, 'LspCodeLensSeparator', { default = true, link = 'LspCodeLens' })
  local group = vim.api.nvim_create_augroup('hocket.lens', { clear = false })
  vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'InsertLeave', 'BufEnter', 'BufWritePost' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      soon(bufnr)
    end,
  })
  M.refresh(bufnr)
end

-- forget removes the lenses of a server that has ended.
function M.forget(id)
  if native then
    return
  end
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local ns = (vim.lsp.codelens.__namespaces or {})[id]
    if ns and vim.api.nvim_buf_is_loaded(bufnr) then
      vim.api.nvim_buf_clear_namespace(bufnr, ns, 0, -1)
      vim.lsp.codelens.save({}, bufnr, id)
    end
  end
end

return M
