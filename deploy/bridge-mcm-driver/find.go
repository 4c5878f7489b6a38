package bridge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// subject is what a driver is told in each call.
type subject struct {
	machine *v1alpha1.Machine
	class   *v1alpha1.MachineClass
	secret  *corev1.Secret
	// Instances that other Machines of the namespace have.
	claims map[string]bool
}

func (b *bridge) subjectOf(ctx context.Context, request driverRequest, machines []v1alpha1.Machine) (*subject, error) {
	ref := request.Machine
	class, secret, err := b.cluster.class(ctx, ref.Namespace, request.ClassName)
	if err != nil {
		return nil, err
	}
	machine, err := b.cluster.machine(ctx, ref)
	if err != nil {
		return nil, err
	}
	if machine == nil {
		machine = &v1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: ref.Namespace, Name: ref.Name, UID: types.UID(ref.UID)}}
		machine.Spec.NodeTemplateSpec = v1alpha1.NodeTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: request.NodeTemplate.Labels, Annotations: request.NodeTemplate.Annotations},
			Spec:       corev1.NodeSpec{Taints: request.NodeTemplate.Taints},
		}
	}
	machine.Spec.Class = v1alpha1.ClassSpec{Kind: "MachineClass", Name: class.Name}
	machine.Spec.ProviderID = request.ProviderID
	machine.Status.LastKnownState = request.LastKnownState
	return &subject{machine, class, secret, claimsOf(machines, ref.UID)}, nil
}

// Some drivers go by the providerID that stands on the Machine, and by its name where there is none.
func (s *subject) by(providerID string) *v1alpha1.Machine {
	machine := s.machine.DeepCopy()
	machine.Spec.ProviderID = providerID
	return machine
}

type standing struct {
	createdInstance
	// It was made and is not initialised.
	isUninitialized bool
}

// find looks by providerID, or by name where the request has none. Nil: there is none.
func (b *bridge) find(ctx context.Context, s *subject) (*standing, error) {
	wanted := s.machine.Spec.ProviderID
	one, err := b.status(ctx, s, wanted)
	if one == nil || err != nil {
		return nil, err
	}
	// A driver that knows names only has found another than the one that is named.
	if wanted != "" && one.ProviderID != wanted {
		return nil, nil
	}
	if wanted == "" && s.claims[one.ProviderID] {
		return nil, nil
	}
	return one, nil
}

// status asks GetMachineStatus, and ListMachines where the driver does not have that.
func (b *bridge) status(ctx context.Context, s *subject, providerID string) (*standing, error) {
	request := &driver.GetMachineStatusRequest{Machine: s.by(providerID), MachineClass: s.class, Secret: s.secret}
	answer, err := within(ctx, b.limits.read, func(ctx context.Context) (*driver.GetMachineStatusResponse, error) {
		return b.driver.GetMachineStatus(ctx, request)
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	switch code := codeOf(err); {
	case err == nil && answer != nil && answer.ProviderID != "":
		return standingOf(answer, false), nil
	case err == nil:
		return nil, refusal(codes.Internal, "the driver found an instance and named none: GetMachineStatus answered without a providerID")
	case code == codes.NotFound:
		return nil, nil
	case code == codes.Uninitialized && answer != nil && answer.ProviderID != "":
		return standingOf(answer, true), nil
	case code == codes.Unimplemented, code == codes.Uninitialized:
		one, err := b.listedOne(ctx, s, providerID)
		if one != nil {
			one.isUninitialized = code == codes.Uninitialized
		}
		return one, err
	default:
		return nil, failureOf(err)
	}
}

func standingOf(answer *driver.GetMachineStatusResponse, isUninitialized bool) *standing {
	ids := instance{answer.ProviderID, answer.NodeName}
	return &standing{createdInstance{instance: ids, Addresses: answer.Addresses}, isUninitialized}
}

func (b *bridge) listedOne(ctx context.Context, s *subject, providerID string) (*standing, error) {
	list, err := b.list(ctx, s.class, s.secret)
	if err != nil {
		return nil, err
	}
	own := slices.DeleteFunc(list, func(one listedInstance) bool {
		if providerID != "" {
			return one.ProviderID != providerID
		}
		return one.MachineName != s.machine.Name || s.claims[one.ProviderID]
	})
	switch len(own) {
	case 0:
		return nil, nil
	case 1:
		// ListMachines knows no Nodes; MCM writes the name onto the Machine once it knows it.
		node := orDefault(s.machine.Labels[v1alpha1.NodeLabelKey], own[0].MachineName)
		return &standing{createdInstance: createdInstance{instance: instance{own[0].ProviderID, node}}}, nil
	default:
		return nil, refusal(codes.OutOfRange, fmt.Sprintf("several instances of one name: %s", idsIn(own)))
	}
}

// In the order of providerIDs.
func (b *bridge) list(ctx context.Context, class *v1alpha1.MachineClass, secret *corev1.Secret) ([]listedInstance, error) {
	request := &driver.ListMachinesRequest{MachineClass: class, Secret: secret}
	answer, err := within(ctx, b.limits.read, func(ctx context.Context) (*driver.ListMachinesResponse, error) {
		return b.driver.ListMachines(ctx, request)
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, failureOf(err)
	}
	all := []listedInstance{}
	if answer != nil {
		for id, name := range answer.MachineList {
			all = append(all, listedInstance{id, name})
		}
	}
	slices.SortFunc(all, func(a, b listedInstance) int { return strings.Compare(a.ProviderID, b.ProviderID) })
	return all, nil
}

func idsIn(list []listedInstance) string {
	ids := make([]string, len(list))
	for index, one := range list {
		ids[index] = one.ProviderID
	}
	return strings.Join(ids, ", ")
}
