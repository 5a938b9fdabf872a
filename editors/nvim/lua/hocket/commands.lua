-- The server's commands: asked for, and their outcomes shown.
local compat = require('hocket.compat')
local say = require('hocket.say').say

local M = {}

local function plural(n, one)
  return ('%d %s%s'):format(n, one, n == 1 and '' or 's')
end

local show = {}

function show.find(result)
  local found = result.findings or {}
  local message = result.message or (result.status or 'done')
  say(message, #found > 0 and vim.log.levels.WARN or vim.log.levels.INFO)
end

show.from = show.find
show.dump = show.find

function show.record(result)
  local message = result.message or 'done'
  local failed = result.failed or ''
  if failed ~= '' then
    message = message:gsub('hocket%.find with from: "[^"]*"', ':Hocket reproduce ' .. failed)
  end
  say(message, failed ~= '' and vim.log.levels.WARN or vim.log.levels.INFO)
end

function show.replay(result)
  local message = result.message or ('%d of %d runs failed'):format(result.failed or 0, result.runs or 0)
  if result.note and result.note ~= '' and not message:find(result.note, 1, true) then
    message = message .. '; ' .. result.note
  end
  say(message)
end

function show.explain(result, how)
  local lines = vim.split(result.text or '', '\n', { plain = true })
  while lines[#lines] == '' do
    table.remove(lines)
  end
  if #lines == 0 then
    return say('the server returned no explanation', vim.log.levels.WARN)
  end
  require('hocket.window').scratch('explain/' .. (result.id or 'finding'), lines, 'markdown', how.mods)
end

-- The fixes that hold, as diffs in a window; each is a code action on the finding, too.
function show.fix(result, how)
  say(result.message or 'done')
  local answer = type(result.answer) == 'table' and result.answer or {}
  local lines, n = {}, 0
  for _, f in ipairs(answer.fixes or {}) do
    if f.verified ~= '' then
      n = n + 1
      table.insert(lines, ('%d. %s (%s, %s)'):format(n, f.title, f.verified, plural(f.schedules or 0, 'schedule')))
      for _, told in ipairs(type(f.tells) == 'table' and f.tells or {}) do
        table.insert(lines, '   ' .. told)
      end
      vim.list_extend(lines, vim.split(f.diff or '', '\n', { plain = true }))
    end
  end
  if n > 0 then
    table.insert(lines, 1, ':Hocket apply [N] writes one into the buffer')
    require('hocket.window').scratch('fix/' .. (result.id or 'finding'), lines, 'diff', how.mods)
  end
end

function show.applyFix(result)
  say(result.message or 'done', result.applied and vim.log.levels.INFO or vim.log.levels.WARN)
end

function show.cancel(result)
  local n = result.cancelled or 0
  say(n == 0 and 'nothing is running' or 'cancelled ' .. plural(n, 'job'))
end

-- What is red comes first, what is green last.
local order = { failing = 1, changed = 2, older = 3, searched = 4, fixed = 5, proved = 6 }
local marks = { failing = '✗', changed = '~', older = '~', searched = '·', fixed = '✓', proved = '✓' }

local function at(item, location)
  if type(location) == 'table' and location.uri then
    local start = location.range.start
    item.filename = vim.uri_to_fname(location.uri)
    item.lnum, item.col = start.line + 1, start.character + 1
  end
  return item
end

local function finding_item(f)
  local replay = type(f.replay) == 'table' and f.replay.runs and (', replay %d/%d'):format(f.replay.failed or 0, f.replay.runs)
  local about = f.about and f.about ~= '' and f.about .. ': ' or ''
  return at({
    text = ('%s %s%s (%s%s) %s'):format(marks[f.stands] or '✗', about, f.headline or f.kind or '?', f.entry or '?', replay or '', f.id or ''),
    type = f.level == 'controlled' and 'N' or 'W',
    user_data = f.id,
  }, f.location)
end

-- by_package returns the packages in their order, each with its lines in theirs.
local function by_package(result)
  local packages, names = {}, {}
  local function add(name, stands, item)
    if not packages[name] then
      packages[name] = {}
      table.insert(names, name)
    end
    table.insert(packages[name], { rank = order[stands] or 4, n = #packages[name], item = item })
  end
  for _, f in ipairs(result.findings or {}) do
    add(f.package or '?', f.stands, finding_item(f))
  end
  for _, v in ipairs(result.verdicts or {}) do
    add(v.package, v.stands, at({ text = ('%s %s: %s'):format(marks[v.stands], v.entry, (v.line:gsub('^✓ ', ''))), type = 'I' }, v.location))
  end
  table.sort(names)
  for _, rows in pairs(packages) do
    table.sort(rows, function(a, b)
      return a.rank < b.rank or (a.rank == b.rank and a.n < b.n)
    end)
  end
  return names, packages
end

function show.list(result)
  local items = {}
  local names, packages = by_package(result)
  for _, name in ipairs(names) do
    local open = #vim.tbl_filter(function(row)
      return row.rank <= 2
    end, packages[name])
    table.insert(items, { text = ('%s: %s'):format(name, open > 0 and ('%d open'):format(open) or 'none open'), valid = 0 })
    for _, row in ipairs(packages[name]) do
      table.insert(items, row.item)
    end
  end
  vim.fn.setqflist({}, ' ', { title = 'Hocket findings', items = items })
  if #items == 0 then
    return say('no findings yet: :Hocket find searches')
  end
  vim.cmd('botright copen')
end

function show.forget(result)
  say(result.message or 'done')
end

-- Errors that say no more than what was asked for.
local function cancelled(err)
  return err.code == -32800
end

local typed = {
  ['break.set'] = 'break',
  ['applyFix'] = 'apply',
  ['break.pair'] = 'pair',
  ['break.fromFinding'] = 'break-finding',
  schedule = 'steps',
}

-- as_typed names commands as people here type them.
function M.as_typed(message)
  return (message:gsub('%f[%w]hocket%.([%l.]*%a*%f[%A])', function(name)
    return ':Hocket ' .. (typed[name] or name:gsub('%.', '-'))
  end))
end

-- run asks a server to run a command and shows what came of it. how: mods, and
-- done(err, result), called after it was shown.
function M.run(client, name, arg, how)
  how = how or {}
  local asked = vim.tbl_extend('force', arg or vim.empty_dict(), {})
  -- We show the outcome ourselves, and don't block while waiting for it.
  asked.show, asked.wait = nil, nil
  if name == 'explain' then
    asked.open, asked.format = false, 'markdown'
  end
  if next(asked) == nil then
    asked = vim.empty_dict()
  end
  local ok = compat.execute(client, name, asked, function(err, result)
    if err and not cancelled(err) then
      say(M.as_typed(err.message or 'failed'), vim.log.levels.ERROR)
    elseif not err and type(result) == 'table' and result.status ~= 'cancelled' then
      show[name](result, how)
    end
    if how.done then
      how.done(err, result)
    end
  end)
  if not ok then
    say('the server does not run: :Hocket restart starts it', vim.log.levels.ERROR)
  end
  return ok
end

-- client_of returns a client for the current buffer, or any, or says why none.
function M.client_of(bufnr)
  local client = compat.clients(bufnr)[1] or compat.clients()[1]
  if not client then
    say('no server runs: open a Go file of a module, or see :checkhealth hocket', vim.log.levels.WARN)
  end
  return client
end

-- place returns the document and position of the cursor in a Go file, which
-- say what a command is about; elsewhere only the document of a Go buffer.
function M.place(client)
  local bufnr = vim.api.nvim_get_current_buf()
  if vim.bo[bufnr].filetype ~= 'go' or vim.bo[bufnr].buftype ~= '' then
    for buf in pairs(client.attached_buffers or {}) do
      if vim.api.nvim_buf_is_loaded(buf) then
        return { uri = vim.uri_from_bufnr(buf) }, buf
      end
    end
    return {}, nil
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  return { uri = params.textDocument.uri, position = params.position }, bufnr
end

return M
