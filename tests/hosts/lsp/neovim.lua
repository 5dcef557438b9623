-- Neovim without a screen: a claim is opened, and what the server says and does is written down as JSON.
local command, file, out = vim.env.CLAIMKIT_LSP, vim.env.CLAIMKIT_FILE, vim.env.CLAIMKIT_OUT

local seen = {}
local function wait(what, condition)
  if not vim.wait(20000, condition, 20) then
    vim.fn.writefile({ vim.fn.json_encode({ missing = what, seen = seen }) }, out)
    vim.cmd("cquit 1")
  end
end

local function run()
  vim.cmd("edit " .. file)
  vim.bo.filetype = "yaml"
  local client = vim.lsp.start_client({ name = "claimkit", cmd = vim.fn.json_decode(command), root_dir = vim.fn.fnamemodify(file, ":h") })
  vim.lsp.buf_attach_client(0, client)

  wait("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
  seen.diagnostics = vim.tbl_map(function(one) return { one.lnum, one.col, one.code, one.source, one.message } end, vim.diagnostic.get(0))

  local function ask(method, extra)
    local params = vim.tbl_extend("force", vim.lsp.util.make_position_params(), extra or {})
    local answer = vim.lsp.buf_request_sync(0, method, params, 20000)
    return answer and answer[client] and answer[client].result
  end

  vim.api.nvim_win_set_cursor(0, { 3, 2 })
  seen.hover = ask("textDocument/hover").contents.value
  seen.completion = vim.tbl_map(function(one) return one.label end, ask("textDocument/completion", { position = { line = 11, character = 6 } }))

  vim.api.nvim_win_set_cursor(0, { 11, 10 })
  vim.ui.select = function(items, _, choose) choose(items[1], 1) end
  local context = { only = { "quickfix" }, diagnostics = vim.lsp.diagnostic.get_line_diagnostics() }
  vim.lsp.buf.code_action(vim.fn.has("nvim-0.8") == 1 and { apply = true, context = context } or context)
  wait("action", function() return vim.api.nvim_buf_get_lines(0, 10, 11, true)[1]:find("deviceClassName", 1, true) ~= nil end)
  wait("mended", function() return #vim.diagnostic.get(0) == 0 end)
  seen.text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n")
  vim.fn.writefile({ vim.fn.json_encode(seen) }, out)
  vim.cmd("qall!")
end

local fine, problem = pcall(run)
if not fine then
  vim.fn.writefile({ vim.fn.json_encode({ problem = problem, seen = seen }) }, out)
  vim.cmd("cquit 1")
end
