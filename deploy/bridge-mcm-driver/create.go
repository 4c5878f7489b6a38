package bridge

import (
	"context"
	"fmt"
	"time"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
)

// createInstance runs the driver's create beside the call. The same process answers from what it knows;
// another one searches, for settleSeconds, before it creates again.
func (b *bridge) createInstance(ctx context.Context, request driverRequest) (any, error) {
	ref := request.Machine
	if err := b.cluster.requireActiveWatcher(ctx, ref.Namespace); err != nil {
		return nil, err
	}
	known, err := b.machines.enter(ctx, ref.UID)
	if err != nil {
		return nil, err
	}
	if known.delete != nil && !known.delete.isOver() {
		known.leave()
		return waits("waits for the deletion that is under way", b.limits.pollSeconds), nil
	}
	begun := known.create
	if begun == nil || begun.isOver() {
		answer, err := b.beginCreate(ctx, known, request)
		if answer != nil || err != nil {
			known.leave()
			return answer, err
		}
		begun = known.create
	}
	known.leave()
	if begun.endsWithin(ctx, b.limits.answer) {
		return b.outcomeOf(ctx, begun, request)
	}
	if temporal.IsCanceledError(context.Cause(ctx)) {
		// The Machine is being deleted: the driver need not go on. What it has made is searched for.
		begun.cancel()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	message := fmt.Sprintf("the driver creates the instance since %s", inWords(begun.began))
	return waits(message, b.limits.pollSeconds), nil
}

// beginCreate answers what is known already. With neither an answer nor an error it has begun a create.
func (b *bridge) beginCreate(ctx context.Context, known *memory, request driverRequest) (any, error) {
	s, one, err := b.search(ctx, request)
	if err != nil {
		return nil, unsent(ctx, request, err)
	}
	before := known.create
	if one != nil {
		return b.adopt(known, s, one), nil
	}
	if request.ProviderID != "" {
		return nil, settled(codes.NotFound, request.ProviderID+" does not exist")
	}
	if before != nil {
		if answer, err := b.afterCreate(known, before); answer != nil || err != nil {
			return answer, err
		}
	} else if !known.isKnown && mayHaveBegun(ctx, request) {
		if known.missingSince.IsZero() {
			known.missingSince = time.Now()
		}
		if wait := b.untilSettled(known.missingSince); wait > 0 {
			return waits("searches for an instance that an earlier process may have begun to make", wait), nil
		}
	}
	if faults := b.faultsOf(s); len(faults) > 0 {
		return nil, settled(codes.InvalidArgument, sentences(faults))
	}
	full, err := b.cluster.filled(ctx, s.secret, request)
	if err != nil {
		return nil, unsent(ctx, request, err)
	}
	s.secret = full
	known.isKnown, known.isTold, known.isUninitialized = true, false, false
	b.beginMaking(known, func(ctx context.Context) (*createdInstance, error) { return b.make(ctx, s) })
	return nil, nil
}

func (b *bridge) beginMaking(known *memory, call func(context.Context) (*createdInstance, error)) {
	known.isCreating.Store(true)
	known.create = begin(b, func(ctx context.Context) (*createdInstance, error) {
		defer known.isCreating.Store(false)
		return call(ctx)
	})
}

func (b *bridge) search(ctx context.Context, request driverRequest) (*subject, *standing, error) {
	var machines []v1alpha1.Machine
	// By its providerID no instance is mistaken for another's.
	if request.ProviderID == "" {
		var err error
		if machines, err = b.cluster.machinesIn(ctx, request.Machine.Namespace); err != nil {
			return nil, nil, err
		}
	}
	s, err := b.subjectOf(ctx, request, machines)
	if err != nil {
		return nil, nil, err
	}
	one, err := b.find(ctx, s)
	if err != nil {
		return nil, nil, hidden(err, s.secret)
	}
	return s, one, nil
}

// This call has sent nothing that makes an instance, nor has an earlier one that the core knows no answer of.
func unsent(ctx context.Context, request driverRequest, err error) error {
	isFirst := request.Checkpoint == "" && !isRepeated(ctx)
	if known, isFailure := err.(*failure); isFailure && isFirst && !known.IsSettled {
		known.IsUnsent = true
	}
	return err
}

// An activity that is tried again, a Machine that is, or one that was told to wait: by this process or by another.
func mayHaveBegun(ctx context.Context, request driverRequest) bool {
	return isRepeated(ctx) || request.IsRetry || request.Checkpoint != ""
}

func isRepeated(ctx context.Context) bool {
	return activity.IsActivity(ctx) && activity.GetInfo(ctx).Attempt > 1
}

// adopt takes an instance that is there. Nil: it is initialised beside the call first.
func (b *bridge) adopt(known *memory, s *subject, one *standing) any {
	before := known.create
	if one.isUninitialized || known.isUninitialized {
		known.isUninitialized, known.isTold = true, false
		one.IsFound = before == nil || before.err != nil
		b.beginMaking(known, func(ctx context.Context) (*createdInstance, error) {
			return b.initialize(ctx, s, &one.createdInstance)
		})
		return nil
	}
	// Of the create of this process, whose answer nobody has got.
	isNew := before != nil && before.err == nil && !known.isTold
	known.isKnown, known.isTold = true, true
	// It is listed from now on.
	known.create = nil
	answer := one.createdInstance
	if isNew {
		answer = *before.result
	}
	answer.IsFound = !isNew
	return b.instanceAnswer(answer)
}

// afterCreate says what came of a create of this process whose instance is not found. Nothing: another may begin.
func (b *bridge) afterCreate(known *memory, before *work[*createdInstance]) (any, error) {
	wait := b.untilSettled(before.ended)
	if before.err == nil {
		if wait <= 0 {
			return nil, nil
		}
		// The cloud lists late what it has made.
		answer := *before.result
		answer.IsFound = known.isTold
		known.isTold = true
		return b.instanceAnswer(answer), nil
	}
	refused := *failureOf(before.err)
	if wait > 0 {
		return waits(fmt.Sprintf("the create failed (%s: %s): searches until %s whether it left something behind",
			refused.Code, refused.Message, inWords(before.ended.Add(b.settle()))), wait), nil
	}
	known.create = nil
	if refused.Code == codes.Canceled.String() {
		return nil, nil
	}
	refused.IsSettled = true
	return nil, &refused
}

// outcomeOf is asked by the calls that waited for it. A failure is looked into at once.
func (b *bridge) outcomeOf(ctx context.Context, over *work[*createdInstance], request driverRequest) (any, error) {
	known, err := b.machines.enter(ctx, request.Machine.UID)
	if err != nil {
		return nil, err
	}
	defer known.leave()
	if over.err == nil {
		if known.create == over {
			known.isTold = true
			known.isUninitialized = false
		}
		return b.instanceAnswer(*over.result), nil
	}
	refused := failureOf(over.err)
	if refused.During != "" {
		// The instance is there: the next call finds it, and initialises it again.
		known.create, known.isUninitialized = nil, true
		return nil, refused
	}
	if known.create != over {
		return waits("waits for another call of this Machine", 1), nil
	}
	_, one, err := b.search(ctx, request)
	if err != nil {
		return nil, err
	}
	if one != nil {
		// The next call takes it: it may have to be initialised.
		return waits(fmt.Sprintf("the create failed (%s: %s) and left %s behind", refused.Code, refused.Message, one.ProviderID), 1), nil
	}
	if answer, err := b.afterCreate(known, over); answer != nil || err != nil {
		return answer, err
	}
	return waits("the create was cancelled and left nothing behind: begins again", 1), nil
}

func (b *bridge) make(ctx context.Context, s *subject) (*createdInstance, error) {
	request := &driver.CreateMachineRequest{Machine: s.by(""), MachineClass: s.class, Secret: s.secret}
	answer, err := b.driver.CreateMachine(ctx, request)
	if err != nil {
		return nil, hidden(failureOf(err), s.secret)
	}
	if answer == nil || answer.ProviderID == "" {
		return nil, refusal(codes.Internal, "the driver made an instance and named none: CreateMachine answered without a providerID")
	}
	state := hide(answer.LastKnownState, s.secret)
	made := &createdInstance{instance: instance{answer.ProviderID, answer.NodeName}, LastKnownState: state, Addresses: answer.Addresses}
	return b.initialize(ctx, s, made)
}

func (b *bridge) initialize(ctx context.Context, s *subject, made *createdInstance) (*createdInstance, error) {
	request := &driver.InitializeMachineRequest{Machine: s.by(made.ProviderID), MachineClass: s.class, Secret: s.secret}
	answer, err := b.driver.InitializeMachine(ctx, request)
	if code := codeOf(err); err != nil && code != codes.Unimplemented {
		refused := *failureOf(err)
		refused.During = "initialization"
		return nil, hidden(&refused, s.secret)
	}
	if err == nil && answer != nil {
		made.NodeName = orDefault(answer.NodeName, made.NodeName)
		made.Addresses = append(made.Addresses, answer.Addresses...)
	}
	return made, nil
}

// MCM's GetMachineStatus may not know the Node yet, and the contract wants its name.
func (b *bridge) instanceAnswer(one createdInstance) any {
	if one.NodeName == "" {
		return failed{"failed", refusal(codes.Unavailable, one.ProviderID+" has no Node name yet")}
	}
	return created{"created", one}
}
