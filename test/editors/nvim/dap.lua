-- The snippet of docs/debugging.md for nvim-dap, as it stands there: a finding is
-- debugged with it, from its first stop to its failure.
package.path = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h') .. '/?.lua;' .. package.path
local H = require('harness')
local check = H.check

-- The Lua lines of the document: an indented block with the adapter in it.
local function snippet()
  local blocks, block = {}, {}
  for _, line in ipairs(vim.fn.readfile(os.getenv('EDITORS_ROOT') .. '/docs/debugging.md')) do
    if line:match('^    ') or (line == '' and #block > 0) then
      table.insert(block, line)
    elseif #block > 0 then
      table.insert(blocks, table.concat(block, '\n'))
      block = {}
    end
  end
  for _, text in ipairs(blocks) do
    if text:find('dap.adapters.hocket', 1, true) then
      return text
    end
  end
end

H.main(function()
  local dir, long = H.copy(), 300000
  local text = snippet()
  check('docs/debugging.md has a snippet for nvim-dap', text ~= nil)
  local out, code = H.hocket(dir, { 'find', '-budget', '200s', '-run', 'TestGet$', '.' })
  check('hocket find finds the bug', code == 1, out)
  local id = H.hocket(dir, { 'list' }):match('^(%x+)')
  -- The snippet says "hocket": as installed, in PATH.
  local bin = vim.fn.tempname()
  vim.fn.mkdir(bin, 'p')
  vim.fn.system({ 'ln', '-s', os.getenv('HOCKET'), bin .. '/hocket' })
  local a = H.nvim(dir, 'pool.go', { GOPLS = '', PATH = bin .. ':' .. os.getenv('PATH') })
  a:lua('package.path = ... .. "/test/editors/nvim/?.lua;" .. package.path; package.loaded.dap = require("dapclient")', os.getenv('EDITORS_ROOT'))
  a:lua('assert(loadstring(...))()', text)
  a:cmd('HocketDebug ' .. tostring(id))
  a:wait('it stops', 'require("dap").stopped()', long)
  check('in the program', #a:lua("return require('dap').lines('pool.go')") + #a:lua("return require('dap').lines('pool_test.go')") > 0, a:lua("return require('dap').stacks()"))
  for _ = 1, 20 do
    if a:lua('return require("dap").ended()') then
      break
    end
    a:lua('require("dap").continue()')
    if not H.until_true(function() return a:lua('return require("dap").stopped() or require("dap").ended()') end, long) then
      break
    end
  end
  check('it goes on to its end', a:lua('return require("dap").ended()') == true, a:lua('return require("dap").output()'))
  check('with the failure', a:lua('return require("dap").output()'):find('index out of range', 1, true) ~= nil, a:lua('return require("dap").output()'))
  check('the adapter ends', H.until_true(function() return a:lua('return require("dap").gone()') end, 30000))
  a:quit()
end)
