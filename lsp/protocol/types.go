package protocol

import lsp "go.lsp.dev/protocol"

// Types of the specification (LSP 3.18), under their names there.
type (
	// Positions and documents.

	Position                        = lsp.Position
	Range                           = lsp.Range
	Location                        = lsp.Location
	TextDocumentIdentifier          = lsp.TextDocumentIdentifier
	VersionedTextDocumentIdentifier = lsp.VersionedTextDocumentIdentifier
	TextDocumentItem                = lsp.TextDocumentItem
	TextDocumentPositionParams      = lsp.TextDocumentPositionParams
	TextEdit                        = lsp.TextEdit
	WorkspaceEdit                   = lsp.WorkspaceEdit
	ChangeAnnotation                = lsp.ChangeAnnotation
	ChangeAnnotationIdentifier      = lsp.ChangeAnnotationIdentifier
	AnnotatedTextEdit               = lsp.AnnotatedTextEdit
	TextDocumentEdit                = lsp.TextDocumentEdit
	ApplyWorkspaceEditParams        = lsp.ApplyWorkspaceEditParams
	WorkspaceFolder                 = lsp.WorkspaceFolder

	// Plain JSON and scalars of unions.

	LSPAny        = lsp.LSPAny
	String        = lsp.String
	Integer       = lsp.Integer
	Boolean       = lsp.Boolean
	ProgressToken = lsp.ProgressToken

	// The life of a session.

	InitializeParams                   = lsp.InitializeParams
	InitializeResult                   = lsp.InitializeResult
	InitializedParams                  = lsp.InitializedParams
	ServerInfo                         = lsp.ServerInfo
	ClientInfo                         = lsp.ClientInfo
	ServerCapabilities                 = lsp.ServerCapabilities
	ClientCapabilities                 = lsp.ClientCapabilities
	SetTraceParams                     = lsp.SetTraceParams
	LogTraceParams                     = lsp.LogTraceParams
	TraceValue                         = lsp.TraceValue
	PositionEncodingKind               = lsp.PositionEncodingKind
	WorkspaceOptions                   = lsp.WorkspaceOptions
	WorkspaceFoldersServerCapabilities = lsp.WorkspaceFoldersServerCapabilities
	WorkspaceFoldersInitializeParams   = lsp.WorkspaceFoldersInitializeParams
	GeneralClientCapabilities          = lsp.GeneralClientCapabilities
	WindowClientCapabilities           = lsp.WindowClientCapabilities
	WorkspaceClientCapabilities        = lsp.WorkspaceClientCapabilities
	TextDocumentClientCapabilities     = lsp.TextDocumentClientCapabilities
	MarkdownClientCapabilities         = lsp.MarkdownClientCapabilities

	// Documents being edited.

	TextDocumentSyncOptions                = lsp.TextDocumentSyncOptions
	TextDocumentSyncKind                   = lsp.TextDocumentSyncKind
	SaveOptions                            = lsp.SaveOptions
	DidOpenTextDocumentParams              = lsp.DidOpenTextDocumentParams
	DidChangeTextDocumentParams            = lsp.DidChangeTextDocumentParams
	DidSaveTextDocumentParams              = lsp.DidSaveTextDocumentParams
	DidCloseTextDocumentParams             = lsp.DidCloseTextDocumentParams
	TextDocumentContentChangeEvent         = lsp.TextDocumentContentChangeEvent
	TextDocumentContentChangePartial       = lsp.TextDocumentContentChangePartial
	TextDocumentContentChangeWholeDocument = lsp.TextDocumentContentChangeWholeDocument

	// The workspace.

	DidChangeConfigurationParams             = lsp.DidChangeConfigurationParams
	DidChangeWorkspaceFoldersParams          = lsp.DidChangeWorkspaceFoldersParams
	WorkspaceFoldersChangeEvent              = lsp.WorkspaceFoldersChangeEvent
	DidChangeWatchedFilesParams              = lsp.DidChangeWatchedFilesParams
	FileEvent                                = lsp.FileEvent
	FileChangeType                           = lsp.FileChangeType
	FileSystemWatcher                        = lsp.FileSystemWatcher
	DidChangeWatchedFilesRegistrationOptions = lsp.DidChangeWatchedFilesRegistrationOptions
	ConfigurationParams                      = lsp.ConfigurationParams
	ConfigurationItem                        = lsp.ConfigurationItem
	Registration                             = lsp.Registration
	RegistrationParams                       = lsp.RegistrationParams

	// Features.

	HoverParams                  = lsp.HoverParams
	Hover                        = lsp.Hover
	MarkupContent                = lsp.MarkupContent
	MarkupKind                   = lsp.MarkupKind
	HoverOptions                 = lsp.HoverOptions
	CodeLensParams               = lsp.CodeLensParams
	CodeLens                     = lsp.CodeLens
	CodeLensOptions              = lsp.CodeLensOptions
	Command                      = lsp.Command
	CodeActionParams             = lsp.CodeActionParams
	CodeAction                   = lsp.CodeAction
	InlayHint                    = lsp.InlayHint
	InlayHintParams              = lsp.InlayHintParams
	CodeActionKind               = lsp.CodeActionKind
	CodeActionOptions            = lsp.CodeActionOptions
	CodeActionContext            = lsp.CodeActionContext
	CommandOrCodeAction          = lsp.CommandOrCodeAction
	Diagnostic                   = lsp.Diagnostic
	DiagnosticSeverity           = lsp.DiagnosticSeverity
	DiagnosticRelatedInformation = lsp.DiagnosticRelatedInformation
	DiagnosticTag                = lsp.DiagnosticTag
	CodeDescription              = lsp.CodeDescription
	PublishDiagnosticsParams     = lsp.PublishDiagnosticsParams
	ExecuteCommandParams         = lsp.ExecuteCommandParams
	ExecuteCommandOptions        = lsp.ExecuteCommandOptions

	// Messages, progress.

	Client                       = lsp.Client
	ShowMessageParams            = lsp.ShowMessageParams
	ShowMessageRequestParams     = lsp.ShowMessageRequestParams
	MessageActionItem            = lsp.MessageActionItem
	LogMessageParams             = lsp.LogMessageParams
	MessageType                  = lsp.MessageType
	ShowDocumentParams           = lsp.ShowDocumentParams
	ShowDocumentResult           = lsp.ShowDocumentResult
	WorkDoneProgressParams       = lsp.WorkDoneProgressParams
	WorkDoneProgressOptions      = lsp.WorkDoneProgressOptions
	WorkDoneProgressCreateParams = lsp.WorkDoneProgressCreateParams
	WorkDoneProgressCancelParams = lsp.WorkDoneProgressCancelParams
	WorkDoneProgressBegin        = lsp.WorkDoneProgressBegin
	WorkDoneProgressReport       = lsp.WorkDoneProgressReport
	WorkDoneProgressEnd          = lsp.WorkDoneProgressEnd
	ProgressParams               = lsp.ProgressParams
)

// Methods that this server answers.
const (
	MethodInitialize                         = lsp.MethodInitialize
	MethodInitialized                        = lsp.MethodInitialized
	MethodShutdown                           = lsp.MethodShutdown
	MethodExit                               = lsp.MethodExit
	MethodSetTrace                           = lsp.MethodSetTrace
	MethodTextDocumentDidOpen                = lsp.MethodTextDocumentDidOpen
	MethodTextDocumentDidChange              = lsp.MethodTextDocumentDidChange
	MethodTextDocumentDidSave                = lsp.MethodTextDocumentDidSave
	MethodTextDocumentDidClose               = lsp.MethodTextDocumentDidClose
	MethodTextDocumentHover                  = lsp.MethodTextDocumentHover
	MethodTextDocumentCodeLens               = lsp.MethodTextDocumentCodeLens
	MethodTextDocumentCodeAction             = lsp.MethodTextDocumentCodeAction
	MethodTextDocumentInlayHint              = lsp.MethodTextDocumentInlayHint
	MethodWorkspaceExecuteCommand            = lsp.MethodWorkspaceExecuteCommand
	MethodWorkspaceDidChangeConfiguration    = lsp.MethodWorkspaceDidChangeConfiguration
	MethodWorkspaceDidChangeWorkspaceFolders = lsp.MethodWorkspaceDidChangeWorkspaceFolders
	MethodWorkspaceDidChangeWatchedFiles     = lsp.MethodWorkspaceDidChangeWatchedFiles
	MethodWindowWorkDoneProgressCancel       = lsp.MethodWindowWorkDoneProgressCancel
)

// Values.
const (
	DiagnosticSeverityError         = lsp.DiagnosticSeverityError
	DiagnosticSeverityWarning       = lsp.DiagnosticSeverityWarning
	DiagnosticSeverityInformation   = lsp.DiagnosticSeverityInformation
	DiagnosticSeverityHint          = lsp.DiagnosticSeverityHint
	MessageTypeError                = lsp.MessageTypeError
	MessageTypeWarning              = lsp.MessageTypeWarning
	MessageTypeInfo                 = lsp.MessageTypeInfo
	MessageTypeLog                  = lsp.MessageTypeLog
	MarkupKindMarkdown              = lsp.MarkupKindMarkdown
	MarkupKindPlainText             = lsp.MarkupKindPlainText
	CodeActionKindQuickFix          = lsp.CodeActionKindQuickFix
	TextDocumentSyncKindNone        = lsp.TextDocumentSyncKindNone
	TextDocumentSyncKindIncremental = lsp.TextDocumentSyncKindIncremental
	TraceValueOff                   = lsp.TraceValueOff
	TraceValueMessages              = lsp.TraceValueMessages
	TraceValueVerbose               = lsp.TraceValueVerbose
	PositionEncodingKindUTF8        = lsp.PositionEncodingKindUTF8
	PositionEncodingKindUTF16       = lsp.PositionEncodingKindUTF16
	PositionEncodingKindUTF32       = lsp.PositionEncodingKindUTF32
)

// Optional is a field that may be absent.
type Optional[T any] = lsp.Optional[T]

// Some is an Optional with a value.
func Some[T any](v T) Optional[T] { return lsp.NewOptional(v) }

// Nullable is a field that may be absent or null.
type Nullable[T any] = lsp.Nullable[T]
