-- :Hocket and its subcommands.
local commands = require('hocket.commands')
local compat = require('hocket.compat')
local say = require('hocket.say').say

local M = {}

-- at_cursor runs a server command about the cursor's place, with more fields.
local function at_cursor(name, more, opts)
  local client = commands.client_of(vim.api.nvim_get_current_buf())
  if not client then
    return
  end
  local arg = commands.place(client)
  if more.id or more.entry or more.pattern then
    arg.position = nil
  end
  commands.run(client, name, vim.tbl_extend('force', arg, more), { mods = opts.mods })
end

-- entries returns the tests, examples, fuzz tests and main of a buffer, from
-- its text alone.
local function entries(bufnr)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local main, found = false, {}
  for _, line in ipairs(lines) do
    main = main or line:match('^package%s+main%f[%W]') ~= nil
    local name = line:match('^func%s+([^%s%(%[]+)%s*%(')
    local kind, rest = (name or ''):match('^(Test)(.*)$')
    if not kind then
      kind, rest = (name or ''):match('^(Example)(.*)$')
    end
    if not kind then
      kind, rest = (name or ''):match('^(Fuzz)(.*)$')
    end
    -- As for go test, Testify is no test: a lower-case letter may not follow.
    if (kind and not rest:match('^%l') and name ~= 'TestMain') or (main and name == 'main') then
      table.insert(found, name)
    end
  end
  return found
end

-- ids returns the ids of the findings of the buffer's module.
local function ids(bufnr)
  local client = compat.clients(bufnr)[1] or compat.clients()[1]
  if not client then
    return {}
  end
  local answer = compat.execute_sync(client, 'list', { uri = commands.place(client).uri }, 500)
  local found = {}
  for _, f in ipairs(answer and answer.result and answer.result.findings or {}) do
    table.insert(found, f.id)
  end
  return found
end

local sub = {}

sub.find = {
  about = '[ENTRY|PATTERN]  search the entry at the cursor, another, or packages (./...)',
  complete = entries,
  run = function(args, opts)
    local what = args[1]
    if not what then
      at_cursor('find', {}, opts)
    elseif what:find('...', 1, true) or what:match('^%.') then
      at_cursor('find', { pattern = what }, opts)
    else
      at_cursor('find', { entry = what }, opts)
    end
  end,
}

sub.from = {
  about = '[FILE]  search for the state that the buffer, the selected lines, or a file tells of: a panic, a dump, a race report, a log',
  complete = function()
    return vim.fn.getcompletion('', 'file')
  end,
  run = function(args, opts)
    local bufnr = vim.api.nvim_get_current_buf()
    local client = commands.client_of(bufnr)
    if not client then
      return
    end
    local arg = { module = commands.place(client).uri }
    if args[1] then
      arg.uri = vim.uri_from_fname(vim.fn.fnamemodify(args[1], ':p'))
    else
      local first, last = 1, -1
      if (opts.range or 0) > 0 then
        first, last = opts.line1, opts.line2
      end
      arg.text = table.concat(vim.api.nvim_buf_get_lines(bufnr, first - 1, last, false), '\n')
    end
    commands.run(client, 'from', arg, { mods = opts.mods })
  end,
}

sub.dump = {
  about = 'CORE [EXE]  search for the state that a core dump shows, left by EXE if not by what it names itself',
  complete = function()
    return vim.fn.getcompletion('', 'file')
  end,
  run = function(args, opts)
    local client = commands.client_of(vim.api.nvim_get_current_buf())
    if not client then
      return
    end
    if not args[1] then
      vim.notify('hocket: :Hocket dump needs the file of a core dump', vim.log.levels.ERROR)
      return
    end
    local function uri(name)
      return name and vim.uri_from_fname(vim.fn.fnamemodify(name, ':p'))
    end
    commands.run(client, 'dump', { uri = uri(args[1]), exe = uri(args[2]), module = commands.place(client).uri }, { mods = opts.mods })
  end,
}

sub.record = {
  about = '[N]  record runs of the test at the cursor until one fails, N at most (20)',
  run = function(args, opts)
    at_cursor('record', { runs = tonumber(args[1]), stop = true }, opts)
  end,
}

sub.reproduce = {
  about = '[RUN]  have a recorded run again, the last that failed without, and explain it',
  run = function(args, opts)
    local client = commands.client_of(vim.api.nvim_get_current_buf())
    if client then
      commands.run(client, 'find', { uri = commands.place(client).uri, from = args[1] or 'last' }, { mods = opts.mods })
    end
  end,
}

sub.replay = {
  about = '[ID]  run the schedule of the finding at the cursor, or another, again',
  complete = ids,
  run = function(args, opts)
    at_cursor('replay', { id = args[1] }, opts)
  end,
}

sub.explain = {
  about = '[ID]  show the finding at the cursor, or another, in a window',
  complete = ids,
  run = function(args, opts)
    at_cursor('explain', { id = args[1] }, opts)
  end,
}

sub.steps = {
  about = '[ID]  go through the runs of the finding at the cursor, or another, step by step',
  complete = ids,
  run = function(args, opts)
    local client = commands.client_of(vim.api.nvim_get_current_buf())
    if not client then
      return
    end
    local arg = commands.place(client)
    if args[1] then
      arg = { id = args[1], uri = arg.uri }
    end
    require('hocket.steps').open(client, arg, opts.mods)
  end,
}

sub.choose = {
  about = '[ID]  choose what to do about the findings at the cursor, or another',
  complete = ids,
  run = function(args)
    local client = commands.client_of(vim.api.nvim_get_current_buf())
    if not client then
      return
    end
    local arg, bufnr = commands.place(client)
    if args[1] then
      arg = { id = args[1], uri = arg.uri }
    end
    require('hocket.choose').run(client, arg, { bufnr = bufnr })
  end,
}

sub.fix = {
  about = '[ID]  look for edits that fix the finding at the cursor, or another, and show them',
  complete = ids,
  run = function(args, opts)
    at_cursor('fix', { id = args[1] }, opts)
  end,
}

sub.apply = {
  about = '[N] [ID]  apply the fix of that number to the buffers, the first one without',
  run = function(args, opts)
    at_cursor('applyFix', { fix = tonumber(args[1]), id = args[2] }, opts)
  end,
}

sub.list = {
  about = 'the findings of the module by package, in the quickfix list',
  run = function()
    local client = commands.client_of(vim.api.nvim_get_current_buf())
    if client then
      commands.run(client, 'list', { uri = commands.place(client).uri }, {})
    end
  end,
}

sub.clear = {
  about = '[ID]  forget the findings that no longer fail, or the one that is named',
  complete = ids,
  run = function(args)
    local client = commands.client_of(vim.api.nvim_get_current_buf())
    if client then
      commands.run(client, 'forget', { uri = commands.place(client).uri, id = args[1] }, {})
    end
  end,
}

sub.cancel = {
  about = 'end the jobs that run or wait',
  run = function()
    local client = commands.client_of(vim.api.nvim_get_current_buf())
    if client then
      commands.run(client, 'cancel', {}, {})
    end
  end,
}

sub.jobs = {
  about = 'the jobs that run or wait',
  run = function()
    local client = commands.client_of(vim.api.nvim_get_current_buf())
    if not client then
      return
    end
    compat.execute(client, 'list', { uri = commands.place(client).uri }, function(err, result)
      if err then
        return say(err.message, vim.log.levels.ERROR)
      end
      local lines = {}
      for _, job in ipairs(result.jobs or {}) do
        table.insert(lines, ('%s (%s)'):format(job.title:gsub('^hocket: ', ''), job.state))
      end
      say(#lines == 0 and 'nothing is running' or table.concat(lines, '\n'))
    end)
  end,
}

sub.hover = {
  about = "what Hocket knows about the cursor's line, without other servers' hovers",
  run = function()
    local client = commands.client_of(vim.api.nvim_get_current_buf())
    if not client then
      return
    end
    local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
    compat.request(client, 'textDocument/hover', params, function(err, result)
      if err then
        say(err.message, vim.log.levels.ERROR)
      elseif type(result) ~= 'table' or not result.contents then
        say('no finding on this line')
      else
        require('hocket.window').float(result.contents)
      end
    end, vim.api.nvim_get_current_buf())
  end,
}

-- Concurrent breakpoints.

local function break_ids()
  return require('hocket.breakcmd').ids()
end

local function ids_and_entries(bufnr)
  return vim.list_extend(break_ids(), entries(bufnr))
end

-- break_sub returns a subcommand that a function of breakcmd runs.
local function break_sub(name, about, complete)
  return {
    about = about,
    complete = complete,
    run = function(args)
      require('hocket.breakcmd')[name](args[1])
    end,
  }
end

sub['break'] = break_sub('set', 'set a concurrent breakpoint at the cursor, and choose what to pair it with')
sub.pair = break_sub('pair', "pair the place of :Hocket break with another, or the cursor's line")
sub.breaks = break_sub('list', 'the places of all concurrent breakpoints, in the quickfix list')
sub.conflicts = break_sub('conflicts', 'the places of the package that conflict, in the quickfix list')
sub['break-edit'] = break_sub('edit', '[ID]  change condition, order or timeout', break_ids)
sub['break-toggle'] = break_sub('toggle', '[ID]  turn a concurrent breakpoint off or on', break_ids)
sub['break-remove'] = break_sub('remove', '[ID]  remove a concurrent breakpoint', break_ids)
sub['break-run'] = break_sub('run', '[ID|ENTRY]  run 100 times with it, or with all of the package', ids_and_entries)
sub['break-debug'] = break_sub('debug', '[ID|ENTRY]  debug with it: stops where all sides have met', ids_and_entries)
sub['break-finding'] = break_sub('finding', '[ID]  turn the finding at the cursor, or another, into breakpoints', ids)

sub.log = {
  about = "open the log with what the server wrote to stderr",
  run = function(_, opts)
    vim.cmd((opts.mods or '') .. ' split ' .. vim.fn.fnameescape(compat.log_path()))
    vim.cmd('normal! G')
  end,
}

sub.restart = {
  about = 'restart the server',
  run = function()
    require('hocket.start').restart()
  end,
}

sub.stop = {
  about = 'end the server, until the next Go file is opened',
  run = function()
    require('hocket.start').stop(function()
      say('stopped')
    end)
  end,
}

sub.version = {
  about = 'the versions of binary, server and editor',
  run = function()
    local cmd = require('hocket.client').command()
    local binary = vim.fn.executable(cmd[1]) == 1 and vim.trim(vim.fn.system({ cmd[1], 'version' })):gsub('\n', ', ')
      or ('%s can not be run'):format(cmd[1])
    local running = {}
    for _, c in ipairs(compat.clients()) do
      table.insert(running, require('hocket.client').server_version(c))
    end
    local v = vim.version()
    say(('%s; running server: %s; Neovim %d.%d.%d'):format(
      binary, #running > 0 and table.concat(running, ', ') or 'none', v.major, v.minor, v.patch))
  end,
}

local function names()
  local all = vim.tbl_keys(sub)
  table.sort(all)
  return all
end

-- run is :Hocket itself.
function M.run(opts)
  local args = vim.split(vim.trim(opts.args), '%s+')
  local name = table.remove(args, 1)
  if name == '' then
    local lines = {}
    for _, n in ipairs(names()) do
      table.insert(lines, (':Hocket %s %s'):format(n, sub[n].about))
    end
    return print(table.concat(lines, '\n'))
  end
  if not sub[name] then
    return say(('unknown subcommand %q; the subcommands are %s'):format(name, table.concat(names(), ', ')), vim.log.levels.ERROR)
  end
  sub[name].run(args, opts)
end

-- complete returns what may follow.
function M.complete(lead, line)
  local words = vim.split(line:gsub('^.-Hocket!?%s+', '', 1), '%s+')
  local from = {}
  if #words <= 1 then
    from = names()
  elseif #words == 2 and sub[words[1]] and sub[words[1]].complete then
    from = sub[words[1]].complete(vim.api.nvim_get_current_buf())
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, from)
end

-- subcommands returns the names, for tests and documentation.
M.subcommands = names

return M
