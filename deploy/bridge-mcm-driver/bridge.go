// Package bridge serves the contract of Millwright's drivers with a driver of MCM: a main.go of twenty
// lines calls Main. docs/bridge-mcm-driver.md says how, and what such a class cannot promise.
package bridge

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	corev1 "k8s.io/api/core/v1"
)

// Options are what MCM's interface does not say of a cloud. The zero value is one that works.
type Options struct {
	// For so long after a create the cloud may not list what it has made. Default 60; negative: at once.
	SettleSeconds int
	// Says what is wrong with a provider spec, one sentence each, without a call. Default: nothing is,
	// and the driver refuses in its create.
	Validate func(class *v1alpha1.MachineClass, secret *corev1.Secret) []string
	// Creates and deletes at the same time in this process. Default 50.
	WorkAtOnce int
	// Calls of each queue at the same time in this process. Default 20.
	CallsAtOnce int
	// What the account may be asked in a second, by all processes, for each queue. Default 20.
	CallsPerSecond float64
	// When a create or delete that still runs is given up. Default 30 minutes.
	WorkLimit time.Duration
}

func (o Options) withDefaults() Options {
	if o.SettleSeconds == 0 {
		o.SettleSeconds = 60
	}
	o.SettleSeconds = max(o.SettleSeconds, 0)
	if o.WorkAtOnce == 0 {
		o.WorkAtOnce = 50
	}
	if o.CallsAtOnce == 0 {
		o.CallsAtOnce = 20
	}
	if o.CallsPerSecond == 0 {
		o.CallsPerSecond = 20
	}
	if o.WorkLimit == 0 {
		o.WorkLimit = 30 * time.Minute
	}
	return o
}

type limits struct {
	// A call of the driver that only looks. A check of the core waits for 60 s.
	read time.Duration
	// How long a call holds its slot for a create or delete that runs beside it.
	answer time.Duration
	work   time.Duration
	// When to ask again.
	pollSeconds int
}

type bridge struct {
	driver   driver.Driver
	cluster  *cluster
	options  Options
	limits   limits
	machines memories
	slots    chan struct{}
	underWay sync.WaitGroup
}

func newBridge(one driver.Driver, control *cluster, options Options) *bridge {
	options = options.withDefaults()
	return &bridge{
		driver:   one,
		cluster:  control,
		options:  options,
		limits:   limits{read: 25 * time.Second, answer: 10 * time.Second, work: options.WorkLimit, pollSeconds: 5},
		machines: memories{byID: map[string]*memory{}},
		slots:    make(chan struct{}, options.WorkAtOnce),
	}
}

func (b *bridge) describeInstance(ctx context.Context, request driverRequest) (any, error) {
	_, one, err := b.search(ctx, request)
	if err != nil {
		return nil, err
	}
	if one == nil {
		if b.machines.isCreating(request.Machine.UID) {
			return nil, refusal(codes.Unavailable, "the driver is still creating the instance: what comes of it is not known yet")
		}
		return missing{"missing", b.options.SettleSeconds}, nil
	}
	if one.NodeName == "" {
		return nil, refusal(codes.Unavailable, one.ProviderID+" has no Node name yet")
	}
	return found{"found", one.instance}, nil
}

func (b *bridge) validateClass(ctx context.Context, request classRequest) (any, error) {
	class, secret, err := b.cluster.class(ctx, request.Namespace, request.ClassName)
	if err != nil {
		return nil, err
	}
	faults := b.faultsOf(&subject{class: class, secret: secret})
	return validated{"validated", faults}, nil
}

func (b *bridge) faultsOf(s *subject) []string {
	if b.options.Validate == nil {
		return []string{}
	}
	faults := []string{}
	for _, fault := range b.options.Validate(s.class.DeepCopy(), s.secret.DeepCopy()) {
		faults = append(faults, hide(fault, s.secret))
	}
	return faults
}

func (b *bridge) listInstances(ctx context.Context, request classRequest) (any, error) {
	class, secret, err := b.cluster.class(ctx, request.Namespace, request.ClassName)
	if err != nil {
		return nil, err
	}
	list, err := b.list(ctx, class, secret)
	if err != nil {
		return nil, hidden(err, secret)
	}
	return listed{"listed", list}, nil
}

// The contract has no failure here: an error is an exception, and one that is not implemented knows none.
func (b *bridge) volumeIDs(ctx context.Context, request volumesRequest) (any, error) {
	answer, err := within(ctx, b.limits.read, func(ctx context.Context) (*driver.GetVolumeIDsResponse, error) {
		return b.driver.GetVolumeIDs(ctx, &driver.GetVolumeIDsRequest{PVSpecs: request.Volumes})
	})
	if err != nil && codeOf(err) != codes.Unimplemented {
		return nil, err
	}
	ids := []string{}
	if err == nil && answer != nil {
		ids = append(ids, answer.VolumeIDs...)
	}
	return volumeIDs{ids}, nil
}

func (b *bridge) settle() time.Duration {
	return time.Duration(b.options.SettleSeconds) * time.Second
}

// untilSettled returns how many seconds are left from then; 0 or less when none are.
func (b *bridge) untilSettled(since time.Time) int {
	left := time.Until(since.Add(b.settle()))
	return int((left + time.Second - 1) / time.Second)
}

func hidden(err error, secret *corev1.Secret) error {
	known, isFailure := err.(*failure)
	if !isFailure {
		return err
	}
	copied := *known
	copied.Message = hide(known.Message, secret)
	return &copied
}

func isCode(err error, code codes.Code) bool {
	known, isFailure := err.(*failure)
	return isFailure && known.Code == code.String()
}

func sentences(faults []string) string { return strings.Join(faults, "; ") }

func inWords(when time.Time) string { return when.UTC().Format("15:04:05 UTC") }
