package bridge

import (
	"context"
	"fmt"
	"slices"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (b *bridge) deleteInstance(ctx context.Context, request driverRequest) (any, error) {
	ref := request.Machine
	if err := b.cluster.requireActiveWatcher(ctx, ref.Namespace); err != nil {
		return nil, err
	}
	machines, err := b.cluster.machinesIn(ctx, ref.Namespace)
	if err != nil {
		return nil, err
	}
	if err := requireDeletable(machines, request); err != nil {
		return nil, err
	}
	known, err := b.machines.enter(ctx, ref.UID)
	if err != nil {
		return nil, err
	}
	defer known.leave()
	if create := known.create; create != nil && !create.isOver() {
		create.cancel()
		if !create.endsWithin(ctx, b.limits.answer) {
			return waits(fmt.Sprintf("waits for the create of %s to end", inWords(create.began)), b.limits.pollSeconds), ctx.Err()
		}
	}
	s, err := b.subjectOf(ctx, request, machines)
	if err != nil {
		return nil, err
	}
	if known.delete == nil {
		if err := b.beginDelete(ctx, known, s); err != nil {
			return nil, hidden(err, s.secret)
		}
	}
	begun := known.delete
	if begun != nil {
		if !begun.endsWithin(ctx, b.limits.answer) {
			return waits(fmt.Sprintf("the driver deletes the instance since %s", inWords(begun.began)), b.limits.pollSeconds), ctx.Err()
		}
		known.delete = nil
		if begun.err != nil {
			return nil, hidden(failureOf(begun.err), s.secret)
		}
	}
	return b.afterDelete(ctx, known, s)
}

// beginDelete begins nothing where what is left under that name is another Machine's.
func (b *bridge) beginDelete(ctx context.Context, known *memory, s *subject) error {
	ids, err := b.own(ctx, s)
	if err != nil {
		return err
	}
	known.wasThere = known.wasThere || len(ids) > 0
	if len(ids) == 0 {
		// What an instance leaves behind, such as network interfaces, a driver knows by the Machine's name.
		if len(s.claims) > 0 && b.isNameTaken(ctx, s) {
			return nil
		}
		ids = []string{s.machine.Spec.ProviderID}
	}
	known.delete = begin(b, func(ctx context.Context) (struct{}, error) {
		for _, id := range ids {
			if err := b.remove(ctx, s, id); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, nil
	})
	return nil
}

// own returns the instances of this Machine. One that its providerID alone names has to be listed under its name.
func (b *bridge) own(ctx context.Context, s *subject) ([]string, error) {
	var ids []string
	wanted := s.machine.Spec.ProviderID
	one, err := b.status(ctx, s, "")
	switch {
	case isCode(err, codes.OutOfRange):
		list, err := b.list(ctx, s.class, s.secret)
		if err != nil {
			return nil, err
		}
		for _, each := range list {
			if each.MachineName == s.machine.Name && !s.claims[each.ProviderID] {
				ids = append(ids, each.ProviderID)
			}
		}
	case err != nil:
		return nil, err
	case one != nil && !s.claims[one.ProviderID]:
		ids = append(ids, one.ProviderID)
	}
	if wanted == "" || slices.Contains(ids, wanted) {
		return ids, nil
	}
	named, err := b.status(ctx, s, wanted)
	if err != nil {
		return nil, err
	}
	if named == nil || named.ProviderID != wanted {
		return ids, nil
	}
	list, err := b.list(ctx, s.class, s.secret)
	if err != nil {
		return nil, err
	}
	if slices.Contains(list, listedInstance{wanted, s.machine.Name}) {
		return append(ids, wanted), nil
	}
	return nil, refusal(codes.FailedPrecondition, fmt.Sprintf("%s is not listed by class %s under the name %s: it is not deleted", wanted, s.class.Name, s.machine.Name))
}

func (b *bridge) isNameTaken(ctx context.Context, s *subject) bool {
	one, err := b.status(ctx, s, "")
	return err != nil || one != nil && s.claims[one.ProviderID]
}

func (b *bridge) remove(ctx context.Context, s *subject, providerID string) error {
	request := &driver.DeleteMachineRequest{Machine: s.by(providerID), MachineClass: s.class, Secret: s.secret}
	_, err := b.driver.DeleteMachine(ctx, request)
	if err != nil && codeOf(err) != codes.NotFound {
		return failureOf(err)
	}
	return nil
}

// A driver may only have given the order: it is deleted when it is found no more.
func (b *bridge) afterDelete(ctx context.Context, known *memory, s *subject) (any, error) {
	ids, err := b.own(ctx, s)
	if err != nil {
		return nil, hidden(err, s.secret)
	}
	if len(ids) > 0 {
		return waits(fmt.Sprintf("the driver has deleted %s, and it is still there", ids[0]), b.limits.pollSeconds), nil
	}
	wasThere := known.wasThere
	known.wasThere, known.create, known.isUninitialized = false, nil, false
	return deleted{"deleted", wasThere, b.options.SettleSeconds}, nil
}

// Exactly this instance, if the class lists it. MCM finds and deletes orphans in the same way.
func (b *bridge) deleteListed(ctx context.Context, request classRequest) (any, error) {
	if err := b.cluster.requireActiveWatcher(ctx, request.Namespace); err != nil {
		return nil, err
	}
	machines, err := b.cluster.machinesIn(ctx, request.Namespace)
	if err != nil {
		return nil, err
	}
	if claimsOf(machines, "")[request.ProviderID] {
		return nil, settled(codes.FailedPrecondition, "a Machine has taken it since it was listed")
	}
	class, secret, err := b.cluster.class(ctx, request.Namespace, request.ClassName)
	if err != nil {
		return nil, err
	}
	list, err := b.list(ctx, class, secret)
	if err != nil {
		return nil, hidden(err, secret)
	}
	index := slices.IndexFunc(list, func(one listedInstance) bool { return one.ProviderID == request.ProviderID })
	if index < 0 {
		return deleted{"deleted", false, b.options.SettleSeconds}, nil
	}
	meta := metav1.ObjectMeta{Namespace: request.Namespace, Name: list[index].MachineName}
	s := &subject{machine: &v1alpha1.Machine{ObjectMeta: meta}, class: class, secret: secret}
	begun := begin(b, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, b.remove(ctx, s, request.ProviderID)
	})
	// What takes longer counts as begun: the next search finds out.
	if begun.endsWithin(ctx, b.limits.answer) && begun.err != nil {
		return nil, hidden(failureOf(begun.err), secret)
	}
	return deleted{"deleted", true, b.options.SettleSeconds}, nil
}
