package protocol

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
	lsp "go.lsp.dev/protocol"
)

// Error is what a request is answered with when it fails: a code, and one line
// for users. A handler that returns another error is answered for with
// InternalError, or RequestCancelled if its context had ended.
type Error = jsonrpc2.Error

// Code is an error code of JSON-RPC or of the protocol.
type Code = jsonrpc2.Code

// The codes that this server answers with.
const (
	ParseError           = jsonrpc2.ParseError           // -32700
	InvalidRequest       = jsonrpc2.InvalidRequest       // -32600
	MethodNotFound       = jsonrpc2.MethodNotFound       // -32601
	InvalidParams        = jsonrpc2.InvalidParams        // -32602
	InternalError        = jsonrpc2.InternalError        // -32603
	ServerNotInitialized = jsonrpc2.ServerNotInitialized // -32002
	RequestCancelled     = lsp.CodeRequestCancelled      // -32800
	RequestFailed        = Code(-32803)                  // sound, but can't be done now
)

// NewError makes an Error.
func NewError(c Code, message string) *Error { return jsonrpc2.NewError(c, message) }

// Errorf makes an Error as fmt.Sprintf makes its message.
func Errorf(c Code, format string, args ...any) *Error {
	return jsonrpc2.NewError(c, fmt.Sprintf(format, args...))
}

// answer is the response to a request whose handler returned an error.
func answer(ctx context.Context, err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled) || ctx.Err() != nil:
		return NewError(RequestCancelled, "cancelled")
	}
	return NewError(InternalError, err.Error())
}
