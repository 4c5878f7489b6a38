package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
)

// Kubernetes ends a pod after 30 s.
const longestGoodbye = 25 * time.Second

// Main serves the queues of MILLWRIGHT_DRIVER_QUEUES with this driver, until it is told to end.
// Temporal is found by the variables of its SDKs, TEMPORAL_ADDRESS and so on.
func Main(one driver.Driver, options Options) {
	if err := run(one, options); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(one driver.Driver, options Options) error {
	queues := strings.Fields(os.Getenv("MILLWRIGHT_DRIVER_QUEUES"))
	if len(queues) == 0 {
		return errors.New("MILLWRIGHT_DRIVER_QUEUES is empty: set it to what \"millwright driver queue --provider NAME\" prints")
	}
	control, err := clusterFromEnvironment()
	if err != nil {
		return err
	}
	connection, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return err
	}
	if err := withPayloadKeys(&connection, os.Getenv("MILLWRIGHT_PAYLOAD_KEYS")); err != nil {
		return err
	}
	// Of what goes on, and not of each call that is told to wait.
	connection.Logger = log.NewStructuredLogger(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	temporalClient, err := client.Dial(connection)
	if err != nil {
		return err
	}
	defer temporalClient.Close()
	ended, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	served := newBridge(one, control, options)
	// One for creates, one for deletes, one for reads: none of them holds up the others.
	var workers []worker.Worker
	for _, queue := range queues {
		one := served.workerOf(temporalClient, queue)
		if err := one.Start(); err != nil {
			return err
		}
		workers = append(workers, one)
	}
	fmt.Println("serving", strings.Join(queues, ", "))
	<-ended.Done()
	for _, one := range workers {
		one.Stop()
	}
	served.awaitWork(longestGoodbye)
	return nil
}

func (b *bridge) workerOf(connection client.Client, queue string) worker.Worker {
	one := worker.New(connection, queue, worker.Options{
		DisableWorkflowWorker:              true,
		MaxConcurrentActivityExecutionSize: b.options.CallsAtOnce,
		TaskQueueActivitiesPerSecond:       b.options.CallsPerSecond,
		// The SDK would hold heartbeats back, and a cancellation comes with the answer to one.
		MaxHeartbeatThrottleInterval:     time.Second,
		DefaultHeartbeatThrottleInterval: time.Second,
	})
	serve(one, "createInstance", b.createInstance)
	serve(one, "deleteInstance", b.deleteInstance)
	serve(one, "describeInstance", b.describeInstance)
	serve(one, "validateClass", b.validateClass)
	serve(one, "listInstances", b.listInstances)
	serve(one, "deleteListed", b.deleteListed)
	serve(one, "volumeIds", b.volumeIDs)
	return one
}

// What a process does not end is searched for by the next one.
func (b *bridge) awaitWork(limit time.Duration) {
	over := make(chan struct{})
	go func() {
		b.underWay.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(limit):
	}
}

func serve[Request any](one worker.Worker, name string, call func(context.Context, Request) (any, error)) {
	one.RegisterActivityWithOptions(activityOf(call), activity.RegisterOptions{Name: name})
}

// activityOf adds a heartbeat each second, and makes an answer of a failure and of a cancellation.
func activityOf[Request any](call func(context.Context, Request) (any, error)) func(context.Context, Request) (any, error) {
	return func(ctx context.Context, request Request) (any, error) {
		over := make(chan struct{})
		defer close(over)
		go beat(ctx, over)
		answer, err := call(ctx, request)
		var refused *failure
		switch {
		case err == nil:
			return answer, nil
		case errors.As(err, &refused):
			return failed{"failed", refused}, nil
		case temporal.IsCanceledError(context.Cause(ctx)):
			cancelled := refusal(codes.Canceled, "cancelled")
			cancelled.WasCancelled = true
			return failed{"failed", cancelled}, nil
		default:
			return nil, err
		}
	}
}

func beat(ctx context.Context, over <-chan struct{}) {
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for {
		select {
		case <-over:
			return
		case <-ticks.C:
			activity.RecordHeartbeat(ctx)
		}
	}
}
