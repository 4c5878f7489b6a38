package bridge

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
)

// work is a call of the driver that goes on beside the calls of the core.
type work[Result any] struct {
	// Closed at its end; the fields below are read after that.
	done   chan struct{}
	result Result
	err    error
	ended  time.Time

	began  time.Time
	cancel context.CancelFunc
}

func begin[Result any](b *bridge, call func(context.Context) (Result, error)) *work[Result] {
	ctx, cancel := context.WithTimeout(context.Background(), b.limits.work)
	begun := &work[Result]{done: make(chan struct{}), began: time.Now(), cancel: cancel}
	b.underWay.Add(1)
	go func() {
		defer b.underWay.Done()
		defer close(begun.done)
		defer cancel()
		begun.result, begun.err = inTurn(ctx, b.slots, call)
		begun.ended = time.Now()
	}()
	return begun
}

func inTurn[Result any](ctx context.Context, slots chan struct{}, call func(context.Context) (Result, error)) (Result, error) {
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
		return guarded(ctx, call)
	case <-ctx.Done():
		var none Result
		return none, ctx.Err()
	}
}

func (w *work[Result]) isOver() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// Reports whether it has ended in that time.
func (w *work[Result]) endsWithin(ctx context.Context, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-w.done:
		return true
	case <-timer.C:
		return false
	case <-ctx.Done():
		return false
	}
}

// A driver that panics must not end the calls of all others.
func guarded[Result any](ctx context.Context, call func(context.Context) (Result, error)) (result Result, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			debug.PrintStack()
			err = refusal(codes.Internal, fmt.Sprintf("the driver panicked: %v", reason))
		}
	}()
	return call(ctx)
}

// A driver that does not look at its context must not hold the call for longer either.
func within[Result any](ctx context.Context, limit time.Duration, call func(context.Context) (Result, error)) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type answer struct {
		result Result
		err    error
	}
	came := make(chan answer, 1)
	go func() {
		result, err := guarded(ctx, call)
		came <- answer{result, err}
	}()
	select {
	case one := <-came:
		return one.result, one.err
	case <-ctx.Done():
		var none Result
		if ctx.Err() == context.DeadlineExceeded {
			return none, refusal(codes.DeadlineExceeded, fmt.Sprintf("the driver has not answered within %s", limit))
		}
		return none, ctx.Err()
	}
}

// memory is what this process knows of a Machine. It is lost with the process: then the cloud is searched.
type memory struct {
	// Held while the cloud is searched and something is begun, so that two calls begin it once.
	turn chan struct{}

	create *work[*createdInstance]
	// Read without the turn.
	isCreating atomic.Bool
	// The answer with its instance was given.
	isTold bool
	// Every create that this process knows of has ended, and it has begun at least one.
	isKnown bool
	// Since when nothing is found of a create that another process may have begun.
	missingSince time.Time
	// Its instance was made and could not be initialised.
	isUninitialized bool

	delete *work[struct{}]
	// Something of it was found by its deletion.
	wasThere bool

	usedAt time.Time
}

// Longer than any create of a driver, and than the core waits between two tries.
const forgottenAfter = 6 * time.Hour

type memories struct {
	lock sync.Mutex
	byID map[string]*memory
}

// enter waits for the Machine's turn. Whoever gets it calls leave.
func (m *memories) enter(ctx context.Context, uid string) (*memory, error) {
	m.lock.Lock()
	one, isThere := m.byID[uid]
	if !isThere {
		m.forget()
		one = &memory{turn: make(chan struct{}, 1)}
		m.byID[uid] = one
	}
	one.usedAt = time.Now()
	m.lock.Unlock()
	select {
	case one.turn <- struct{}{}:
		return one, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Without the Machine's turn, which a call may hold while it waits.
func (m *memories) isCreating(uid string) bool {
	m.lock.Lock()
	defer m.lock.Unlock()
	one := m.byID[uid]
	return one != nil && one.isCreating.Load()
}

func (one *memory) leave() { <-one.turn }

func (m *memories) forget() {
	for uid, one := range m.byID {
		if time.Since(one.usedAt) > forgottenAfter {
			delete(m.byID, uid)
		}
	}
}
