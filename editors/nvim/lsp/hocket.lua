-- For vim.lsp.enable('hocket') and vim.lsp.config('hocket', {...}), Neovim 0.11
-- and newer. The plugin calls vim.lsp.enable itself unless auto_start is off.
local config = require('hocket.client').config()

-- A function, so that files of the module cache start no servers of their own.
config.root_dir = function(bufnr, on_dir)
  local root = require('hocket.root').of_buffer(bufnr)
  if root then
    on_dir(root)
  end
end

return config
