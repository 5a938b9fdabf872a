-- What is loaded at start: one command and one autocommand. All else waits for
-- the first Go file or the first :Hocket.
if vim.g.loaded_hocket or vim.fn.has('nvim-0.7') == 0 then
  return
end
vim.g.loaded_hocket = true

vim.api.nvim_create_user_command('Hocket', function(opts)
  require('hocket.cmdline').run(opts)
end, {
  nargs = '*',
  range = true, -- of :Hocket from
  desc = 'Find, replay and explain concurrency bugs',
  complete = function(lead, line)
    return require('hocket.cmdline').complete(lead, line)
  end,
})

vim.api.nvim_create_autocmd('FileType', {
  group = vim.api.nvim_create_augroup('hocket', { clear = true }),
  pattern = 'go',
  desc = 'Start the Hocket language server',
  callback = function(event)
    require('hocket.start').auto(event.buf)
  end,
})

-- Loaded late (a plugin manager's lazy loading, :packadd): Go files may be open.
if vim.v.vim_did_enter == 1 then
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].filetype == 'go' then
      require('hocket.start').auto(buf)
    end
  end
end
