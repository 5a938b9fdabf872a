-- The configuration of the Neovims under test: the plugin, gopls beside it if
-- there is one, and a record of what a person would see pass by.
local root = os.getenv('EDITORS_ROOT')
vim.opt.runtimepath:prepend(root .. '/editors/nvim')
vim.opt.swapfile = false
vim.opt.hidden = true

vim.g.hocket = {
  cmd = { os.getenv('HOCKET'), 'lsp' },
  settings = { find = { budget = '3m', schedules = 600 }, ['replay.runs'] = 10 },
}

-- What one test wants otherwise.
local more = os.getenv('EDITORS_INIT')
if more then
  assert(loadstring(more))()
end

-- seen holds messages, progress texts, questions with the answers given, and what
-- stood in inputs before something was typed.
seen = { messages = {}, progress = {}, questions = {}, inputs = {} }

if os.getenv('EDITORS_TERMINAL') then
  -- Someone looks: messages and questions are Neovim's own.
  vim.opt.termguicolors = true
  vim.opt.number = true
  vim.opt.showcmd = false
  vim.opt.hlsearch = false
  vim.opt.tabstop = 4
  vim.opt.statusline = " %t %=%{v:lua.require'hocket'.status()} "
  vim.cmd('syntax on')
  vim.diagnostic.config({ virtual_text = true })
  if vim.fn.has('nvim-0.10') == 0 then
    vim.opt.background = 'dark'
    vim.cmd('colorscheme slate')
  end
  return vim.cmd('filetype plugin on')
end

vim.notify = function(message)
  table.insert(seen.messages, message)
end

-- answer is what the next question is answered with: the first item that
-- contains it.
answer = nil
vim.ui.select = function(items, opts, choose)
  local titles = {}
  for _, item in ipairs(items) do
    table.insert(titles, opts.format_item and opts.format_item(item) or tostring(item))
  end
  table.insert(seen.questions, titles)
  for i, title in ipairs(titles) do
    if answer and title:find(answer, 1, true) then
      return choose(items[i], i)
    end
  end
  choose(nil, nil)
end

-- typed is what goes into the next inputs, one after the other; then they are left.
typed = {}
vim.ui.input = function(opts, done)
  table.insert(seen.inputs, opts.default or '')
  done(table.remove(typed, 1))
end

local function on_progress()
  local text = require('hocket').status()
  if text:match('^hocket: ') and seen.progress[#seen.progress] ~= text then
    table.insert(seen.progress, text)
  end
end
if vim.fn.has('nvim-0.10') == 1 then
  vim.api.nvim_create_autocmd('LspProgress', { callback = on_progress })
else
  vim.api.nvim_create_autocmd('User', { pattern = 'LspProgressUpdate', callback = on_progress })
end

vim.cmd('filetype plugin on')

local gopls = os.getenv('GOPLS')
if gopls and gopls ~= '' then
  vim.api.nvim_create_autocmd('FileType', {
    pattern = 'go',
    callback = function(event)
      local config = { name = 'gopls', cmd = { gopls }, root_dir = vim.fn.getcwd() }
      if vim.lsp.start then
        vim.lsp.start(config)
      else
        gopls_id = gopls_id or vim.lsp.start_client(config)
        vim.lsp.buf_attach_client(event.buf, gopls_id)
      end
    end,
  })
end

-- What tests ask for, by name.

function lenses()
  local found = {}
  for _, l in ipairs(vim.fn.has('nvim-0.12') == 1 and vim.lsp.codelens.get({ bufnr = 0 }) or vim.lsp.codelens.get(0)) do
    l = l.lens or l
    if l.command and l.command.command:match('^hocket%.') then
      table.insert(found, ('%d %s'):format(l.range.start.line + 1, l.command.title))
    end
  end
  table.sort(found)
  return found
end

-- The lenses of the line of a function.
function lenses_of(name)
  local line = vim.fn.search('^func ' .. name .. '(', 'nw')
  local found = {}
  for _, l in ipairs(lenses()) do
    local title = l:match('^' .. line .. ' (.*)$')
    if title then
      table.insert(found, title)
    end
  end
  return table.concat(found, ' | ')
end

-- What can be done about the findings of a function, as its lens offers.
function offers_of(name)
  local line, compat = vim.fn.search('^func ' .. name .. '(', 'nw'), require('hocket.compat')
  local client, uri, found = compat.clients()[1], vim.uri_from_bufnr(0), {}
  local answer = compat.request_sync(client, 'textDocument/codeLens', { textDocument = { uri = uri } }, 5000, 0) or {}
  for _, l in ipairs(answer.result or {}) do
    if l.range.start.line + 1 == line and l.command.command == 'hocket.choose' then
      local arg = vim.tbl_extend('force', l.command.arguments[1], { ask = false })
      local list = compat.request_sync(client, 'workspace/executeCommand', { command = 'hocket.choose', arguments = { arg } }, 5000, 0)
      for _, c in ipairs(list and list.result and list.result.choices or {}) do
        table.insert(found, c.title)
      end
    end
  end
  return table.concat(found, ' | ')
end

function go_to(name)
  vim.api.nvim_win_set_cursor(0, { vim.fn.search('^func ' .. name .. '(', 'nw'), 0 })
end

function diagnostics(bufnr)
  return vim.tbl_filter(function(d)
    return d.source == 'hocket'
  end, vim.diagnostic.get(bufnr or 0))
end

-- The text of the floating window that is open, if any.
function float()
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(win).relative ~= '' then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), '\n')
    end
  end
end

function close_floats()
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(win).relative ~= '' then
      vim.api.nvim_win_close(win, true)
    end
  end
end

-- The signs of concurrent breakpoints in the buffer, as "LINE NAME".
function break_signs()
  local found = {}
  for _, s in ipairs(vim.fn.sign_getplaced(vim.api.nvim_get_current_buf(), { group = 'hocket_breaks' })[1].signs) do
    table.insert(found, ('%d %s'):format(s.lnum, s.name))
  end
  return found
end

-- The texts after lines with concurrent breakpoints, by line.
function break_texts()
  local found = vim.empty_dict()
  local ns = vim.api.nvim_get_namespaces()['hocket.breaks']
  for _, m in ipairs(ns and vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true }) or {}) do
    found[tostring(m[2] + 1)] = vim.trim(m[4].virt_text[1][1])
  end
  return found
end

function attached(name)
  local all = vim.lsp.get_clients and vim.lsp.get_clients() or vim.lsp.get_active_clients()
  for _, c in ipairs(all) do
    if c.name == name and c.server_capabilities and vim.lsp.buf_is_attached(0, c.id) then
      return true
    end
  end
  return false
end

function buffer()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
end
