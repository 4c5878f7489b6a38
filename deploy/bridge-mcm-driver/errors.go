package bridge

import (
	"context"
	"errors"

	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/status"
)

// The contract has MCM's codes, so each is answered as it is. A code that MCM does not have, or
// that says that nothing is wrong, is Unknown.
var codeNames = func() map[codes.Code]string {
	names := map[codes.Code]string{}
	for code := codes.Canceled; code <= codes.Uninitialized; code++ {
		names[code] = code.String()
	}
	return names
}()

// What stands behind a code, where it says so. ResourceExhausted may be quota or capacity.
var kinds = map[codes.Code]string{
	codes.InvalidArgument: "input",
	codes.Unauthenticated: "credentials",
}

// Never settled: MCM's errors do not say that nothing was made.
func failureOf(err error) *failure {
	var known *failure
	if errors.As(err, &known) {
		return known
	}
	code := codeOf(err)
	name, isKnown := codeNames[code]
	if !isKnown {
		name = codes.Unknown.String()
	}
	return &failure{Code: name, Message: wordsOf(err), Kind: kinds[code]}
}

// MCM reads a code out of the text of an error, also of one that wraps another.
func codeOf(err error) codes.Code {
	if errors.Is(err, context.DeadlineExceeded) {
		return codes.DeadlineExceeded
	}
	if errors.Is(err, context.Canceled) {
		return codes.Canceled
	}
	known, _ := status.FromError(err)
	return known.Code()
}

func wordsOf(err error) string {
	if known, isStatus := status.FromError(err); isStatus && known.Message() != "" {
		return known.Message()
	}
	if err.Error() != "" {
		return err.Error()
	}
	return "the driver gave no message"
}

func refusal(code codes.Code, message string) *failure {
	return &failure{Code: code.String(), Message: message, Kind: kinds[code]}
}

func settled(code codes.Code, message string) *failure {
	refused := refusal(code, message)
	refused.IsSettled = true
	return refused
}
