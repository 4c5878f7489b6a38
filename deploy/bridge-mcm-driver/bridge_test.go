package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/status"
	"k8s.io/client-go/rest"
)

// An API server that has these objects, by their paths, and no others.
type objects map[string]any

const (
	machinesPath = "/apis/machine.sapcloud.io/v1alpha1/namespaces/shoot/machines"
	classPath    = "/apis/machine.sapcloud.io/v1alpha1/namespaces/shoot/machineclasses/small"
	secretPath   = "/api/v1/namespaces/shoot/secrets/small"
	leasePath    = "/apis/coordination.k8s.io/v1/namespaces/shoot/leases/millwright"
	stopPath     = "/api/v1/namespaces/shoot/configmaps/millwright-stop"
	tokenPath    = "/api/v1/namespaces/kube-system/secrets/bootstrap-token-abcdef"
)

func (o objects) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	response.Header().Set("Content-Type", "application/json")
	object, isThere := o[request.URL.Path]
	if !isThere {
		response.WriteHeader(http.StatusNotFound)
		object = map[string]any{"kind": "Status", "apiVersion": "v1", "reason": "NotFound", "code": http.StatusNotFound}
	}
	_ = json.NewEncoder(response).Encode(object)
}

func aMachine(name, uid, providerID string, more map[string]any) map[string]any {
	metadata := map[string]any{"name": name, "namespace": "shoot", "uid": uid}
	for key, value := range more {
		metadata[key] = value
	}
	return map[string]any{"metadata": metadata, "spec": map[string]any{"providerID": providerID}}
}

var beingDeleted = map[string]any{"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": []string{machineFinalizer}}

func withMachines(machines ...map[string]any) objects {
	return objects{
		machinesPath: map[string]any{"items": append([]map[string]any{}, machines...)},
		classPath: map[string]any{
			"metadata":     map[string]any{"name": "small", "namespace": "shoot"},
			"provider":     "acme",
			"providerSpec": map[string]any{},
			"secretRef":    map[string]any{"name": "small", "namespace": "elsewhere"},
		},
		// hunter22, and "join <<BOOTSTRAP_TOKEN>> as <<MACHINE_NAME>>".
		secretPath: map[string]any{"metadata": map[string]any{"name": "small"}, "data": map[string]string{
			"password": "aHVudGVyMjI=",
			"userData": "am9pbiA8PEJPT1RTVFJBUF9UT0tFTj4+IGFzIDw8TUFDSElORV9OQU1FPj4=",
		}},
		leasePath: map[string]any{"spec": map[string]any{"holderIdentity": "w", "renewTime": "2999-01-01T00:00:00.000000Z"}},
	}
}

// Calls answer at once, and what was made is listed at once.
func bridgeOf(t *testing.T, one driver.Driver, there objects) *bridge {
	t.Helper()
	server := httptest.NewServer(there)
	t.Cleanup(server.Close)
	config := &rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}, QPS: -1}
	control, err := newCluster(config, config)
	if err != nil {
		t.Fatal(err)
	}
	made := newBridge(one, control, Options{SettleSeconds: -1})
	made.limits.answer = 10 * time.Minute
	return made
}

func aRequest() driverRequest {
	return driverRequest{Machine: objectReference{"shoot", "web-0", "uid-1"}, ClassName: "small", Token: "uid-1-0"}
}

// What an activity answers, as JSON. An exception begins with "exception".
func answered(t *testing.T, answer any, err error) string {
	t.Helper()
	var refused *failure
	if errors.As(err, &refused) {
		answer = failed{"failed", refused}
	} else if err != nil {
		return "exception " + err.Error()
	}
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func expect(t *testing.T, came string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(came, part) {
			t.Errorf("expected %s in %s", part, came)
		}
	}
}

// scripted is a cloud with what a driver of MCM sees of it. Each call may be told to do something first.
type scripted struct {
	driver.Driver
	lock      sync.Mutex
	instances map[string]string
	creates   int
	deletes   []string
	before    map[string]func(ctx context.Context) error
	// Not yet initialised.
	isRaw    map[string]bool
	makesRaw bool
	// The call of this number, from 1, never comes back, as if the process died: before its deed, or after.
	calls, diesAt int
	diesAfter     bool
	died, never   chan struct{}
}

func aCloud() *scripted {
	return &scripted{instances: map[string]string{}, before: map[string]func(context.Context) error{}, isRaw: map[string]bool{}}
}

func (s *scripted) dies(isAfter bool) {
	if s.calls == s.diesAt && isAfter == s.diesAfter {
		close(s.died)
		<-s.never
	}
}

func (s *scripted) leave() {
	s.lock.Unlock()
	s.dies(true)
}

func (s *scripted) enter(ctx context.Context, call string) error {
	s.calls++
	s.dies(false)
	if before := s.before[call]; before != nil {
		if err := before(ctx); err != nil {
			return err
		}
	}
	s.lock.Lock()
	return nil
}

func (s *scripted) CreateMachine(ctx context.Context, request *driver.CreateMachineRequest) (*driver.CreateMachineResponse, error) {
	s.creates++
	id := fmt.Sprintf("acme:///i-%d", s.creates)
	if err := s.enter(ctx, "create"); err != nil {
		return nil, err
	}
	defer s.leave()
	s.instances[id] = request.Machine.Name
	s.isRaw[id] = s.makesRaw
	return &driver.CreateMachineResponse{ProviderID: id, NodeName: request.Machine.Name}, nil
}

func (s *scripted) InitializeMachine(ctx context.Context, request *driver.InitializeMachineRequest) (*driver.InitializeMachineResponse, error) {
	if err := s.enter(ctx, "initialize"); err != nil {
		return nil, err
	}
	defer s.leave()
	s.isRaw[request.Machine.Spec.ProviderID] = false
	return nil, status.Error(codes.Unimplemented, "nothing to do")
}

func (s *scripted) GetMachineStatus(ctx context.Context, request *driver.GetMachineStatusRequest) (*driver.GetMachineStatusResponse, error) {
	if err := s.enter(ctx, "status"); err != nil {
		return nil, err
	}
	defer s.leave()
	var ids []string
	for id, name := range s.instances {
		wanted := request.Machine.Spec.ProviderID
		if id == wanted || wanted == "" && name == request.Machine.Name {
			ids = append(ids, id)
		}
	}
	switch {
	case len(ids) == 0:
		return nil, status.Error(codes.NotFound, "none")
	case len(ids) > 1:
		return nil, status.Error(codes.OutOfRange, "several")
	}
	answer := &driver.GetMachineStatusResponse{ProviderID: ids[0], NodeName: s.instances[ids[0]]}
	if s.isRaw[ids[0]] {
		return answer, status.Error(codes.Uninitialized, "raw")
	}
	return answer, nil
}

func (s *scripted) ListMachines(ctx context.Context, _ *driver.ListMachinesRequest) (*driver.ListMachinesResponse, error) {
	if err := s.enter(ctx, "list"); err != nil {
		return nil, err
	}
	defer s.leave()
	list := map[string]string{}
	for id, name := range s.instances {
		list[id] = name
	}
	return &driver.ListMachinesResponse{MachineList: list}, nil
}

func (s *scripted) DeleteMachine(ctx context.Context, request *driver.DeleteMachineRequest) (*driver.DeleteMachineResponse, error) {
	if err := s.enter(ctx, "delete"); err != nil {
		return nil, err
	}
	defer s.leave()
	id := request.Machine.Spec.ProviderID
	s.deletes = append(s.deletes, id)
	delete(s.instances, id)
	return &driver.DeleteMachineResponse{}, nil
}

func fails(code codes.Code, message string) func(context.Context) error {
	return func(context.Context) error { return status.Error(code, message) }
}

func TestTheFakeDriverOfMCMIsServed(t *testing.T) {
	b := bridgeOf(t, driver.NewFakeDriver(false, "fake:///a/i-1", "web-0", "", nil, nil, nil), withMachines())
	ctx := context.Background()
	came, err := b.describeInstance(ctx, aRequest())
	expect(t, answered(t, came, err), `{"outcome":"missing","settleSeconds":0}`)
	came, err = b.createInstance(ctx, aRequest())
	expect(t, answered(t, came, err), `"outcome":"created"`, `"providerID":"fake:///a/i-1"`, `"isFound":false`)
	came, err = b.createInstance(ctx, aRequest())
	expect(t, answered(t, came, err), `"isFound":true`)
	came, err = b.listInstances(ctx, classRequest{Namespace: "shoot", ClassName: "small"})
	expect(t, answered(t, came, err), `[{"providerID":"fake:///a/i-1","machineName":"web-0"}]`)
	came, err = b.validateClass(ctx, classRequest{Namespace: "shoot", ClassName: "small"})
	expect(t, answered(t, came, err), `{"outcome":"validated","faults":[]}`)
	came, err = b.volumeIDs(ctx, volumesRequest{})
	expect(t, answered(t, came, err), `{"volumeIds":[]}`)
	came, err = b.deleteInstance(ctx, aRequest())
	expect(t, answered(t, came, err), `{"outcome":"deleted","isFound":true,"settleSeconds":0}`)
	came, err = b.deleteInstance(ctx, aRequest())
	expect(t, answered(t, came, err), `"isFound":false`)
}

func TestEachCodeOfMCMIsAnsweredAsItIs(t *testing.T) {
	for code := codes.Canceled; code <= codes.Uninitialized; code++ {
		came := failureOf(status.Error(code, "no"))
		if came.Code != code.String() || came.Message != "no" || came.IsSettled {
			t.Errorf("%s became %+v", code, came)
		}
	}
	for name, err := range map[string]error{
		"Unknown":           errors.New("no code at all"),
		"Unauthenticated":   fmt.Errorf("in a sentence: %w", status.Error(codes.Unauthenticated, "no")),
		"DeadlineExceeded":  fmt.Errorf("post: %w", context.DeadlineExceeded),
		"Canceled":          context.Canceled,
		"ResourceExhausted": status.WrapError(codes.ResourceExhausted, "no room", errors.New("cause")),
	} {
		if came := failureOf(err); came.Code != name {
			t.Errorf("%v became %s and not %s", err, came.Code, name)
		}
	}
}

func TestASlowCreateIsPendingAndBeginsOnce(t *testing.T) {
	cloud := aCloud()
	goOn := make(chan struct{})
	cloud.before["create"] = func(context.Context) error { <-goOn; return nil }
	b := bridgeOf(t, cloud, withMachines())
	b.limits.answer = time.Millisecond
	first, err := b.createInstance(context.Background(), aRequest())
	expect(t, answered(t, first, err), `"outcome":"pending"`, "the driver creates the instance since", `"checkpoint":"begun"`)
	second, err := b.createInstance(context.Background(), aRequest())
	if answered(t, first, nil) != answered(t, second, err) {
		t.Errorf("other words: %v, %v", first, second)
	}
	came, err := b.describeInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), `"code":"Unavailable"`, "still creating")
	close(goOn)
	b.limits.answer = 10 * time.Minute
	came, err = b.createInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), `"outcome":"created"`, `"isFound":false`)
	if cloud.creates != 1 {
		t.Errorf("%d creates", cloud.creates)
	}
}

func TestTwoCreatesAtOnceMakeOneInstance(t *testing.T) {
	cloud := aCloud()
	b := bridgeOf(t, cloud, withMachines())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if came, err := b.createInstance(context.Background(), aRequest()); err != nil {
				t.Error(came, err)
			}
		})
	}
	all.Wait()
	if cloud.creates != 1 {
		t.Errorf("%d creates", cloud.creates)
	}
}

func TestAnotherProcessSearchesBeforeItCreatesAgain(t *testing.T) {
	cloud := aCloud()
	b := bridgeOf(t, cloud, withMachines())
	b.options.SettleSeconds = 3600
	request := aRequest()
	request.Checkpoint = "begun"
	came, err := b.createInstance(context.Background(), request)
	expect(t, answered(t, came, err), `"outcome":"pending"`, "an earlier process may have begun")
	if cloud.creates != 0 {
		t.Error("it has created without a search that counts")
	}
	b.options.SettleSeconds = 0
	came, err = b.createInstance(context.Background(), request)
	expect(t, answered(t, came, err), `"outcome":"created"`, `"isFound":false`)
}

func TestWhatAProcessThatDiedHasMadeIsFound(t *testing.T) {
	for _, isListed := range []bool{false, true} {
		cloud := aCloud()
		cloud.instances["acme:///i-9"] = "web-0"
		if isListed {
			cloud.before["status"] = fails(codes.Unimplemented, "no such thing")
		}
		b := bridgeOf(t, cloud, withMachines())
		request := aRequest()
		request.IsRetry = true
		came, err := b.createInstance(context.Background(), request)
		expect(t, answered(t, came, err), `"providerID":"acme:///i-9"`, `"nodeName":"web-0"`, `"isFound":true`)
		if cloud.creates != 0 {
			t.Error("it has created another")
		}
	}
}

func TestAFailedCreateIsUnsettledUntilASearchHasFoundNothing(t *testing.T) {
	cloud := aCloud()
	cloud.before["create"] = fails(codes.ResourceExhausted, "no room for hunter22")
	b := bridgeOf(t, cloud, withMachines())
	b.options.SettleSeconds = 3600
	came, err := b.createInstance(context.Background(), aRequest())
	text := answered(t, came, err)
	expect(t, text, `"outcome":"pending"`, "the create failed (ResourceExhausted: no room for \\u003chidden\\u003e)")
	b.options.SettleSeconds = 0
	came, err = b.createInstance(context.Background(), aRequest())
	text += answered(t, came, err)
	expect(t, text, `"code":"ResourceExhausted"`, `"isSettled":true`)
	if strings.Contains(text, "hunter22") {
		t.Error("the password was said: " + text)
	}
	delete(cloud.before, "create")
	request := aRequest()
	request.IsRetry, request.Token = true, "uid-1-1"
	came, err = b.createInstance(context.Background(), request)
	expect(t, answered(t, came, err), `"outcome":"created"`)
}

func TestWhatAFailedCreateHasLeftIsTaken(t *testing.T) {
	cloud := aCloud()
	cloud.before["create"] = func(context.Context) error {
		cloud.instances["acme:///i-9"] = "web-0"
		return status.Error(codes.Internal, "the answer was lost")
	}
	b := bridgeOf(t, cloud, withMachines())
	came, err := b.createInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), `"outcome":"pending"`, "left acme:///i-9 behind")
	came, err = b.createInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), `"outcome":"created"`, `"isFound":true`)
	if cloud.creates != 1 {
		t.Errorf("%d creates", cloud.creates)
	}
}

func TestASearchThatFailsSaysThatNothingWasSent(t *testing.T) {
	cloud := aCloud()
	cloud.before["status"] = fails(codes.Unauthenticated, "no")
	b := bridgeOf(t, cloud, withMachines())
	came, err := b.createInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), `"code":"Unauthenticated"`, `"isSettled":false`, `"isUnsent":true`, `"kind":"credentials"`)
}

func TestAnInstanceThatWasNotInitialisedIsInitialisedAgain(t *testing.T) {
	cloud := aCloud()
	cloud.before["initialize"] = fails(codes.Uninitialized, "not yet")
	b := bridgeOf(t, cloud, withMachines())
	came, err := b.createInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), `"code":"Uninitialized"`, `"during":"initialization"`, `"isSettled":false`)
	delete(cloud.before, "initialize")
	cloud.isRaw["acme:///i-1"] = true
	came, err = b.createInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), `"outcome":"created"`)
	if cloud.creates != 1 || cloud.isRaw["acme:///i-1"] {
		t.Errorf("%d creates, raw: %v", cloud.creates, cloud.isRaw)
	}
}

// Each call of the driver that a create, and then a deletion, makes is the last one of a process.
func TestAProcessThatDiesAtAnyCallMakesOneInstanceAndLeavesNone(t *testing.T) {
	for _, isAfter := range []bool{false, true} {
		for diesAt := 1; ; diesAt++ {
			cloud := aCloud()
			cloud.makesRaw, cloud.diesAt, cloud.diesAfter = true, diesAt, isAfter
			cloud.died, cloud.never = make(chan struct{}), make(chan struct{})
			request := aRequest()
			first := bridgeOf(t, cloud, withMachines())
			if !hasDied(cloud, func() { _, _ = first.createInstance(context.Background(), request) }) {
				if !hasDied(cloud, func() { _, _ = first.deleteInstance(context.Background(), request) }) {
					break
				}
			} else {
				next := bridgeOf(t, cloud, withMachines())
				again := request
				again.IsRetry = true
				came, err := next.createInstance(context.Background(), again)
				expect(t, answered(t, came, err), `"outcome":"created"`)
				if len(cloud.instances) != 1 || len(cloud.isRaw) != 1 || isRaw(cloud) {
					t.Errorf("call %d, after %v: %v, raw: %v", diesAt, isAfter, cloud.instances, cloud.isRaw)
				}
			}
			last := bridgeOf(t, cloud, withMachines())
			came, err := last.deleteInstance(context.Background(), request)
			expect(t, answered(t, came, err), `"outcome":"deleted"`)
			if len(cloud.instances) != 0 {
				t.Errorf("call %d, after %v: left %v", diesAt, isAfter, cloud.instances)
			}
			close(cloud.never)
		}
	}
}

func isRaw(cloud *scripted) bool {
	for _, raw := range cloud.isRaw {
		if raw {
			return true
		}
	}
	return false
}

// Reports whether the process died; if not, the call is over.
func hasDied(cloud *scripted, call func()) bool {
	over := make(chan struct{})
	go func() {
		call()
		close(over)
	}()
	select {
	case <-cloud.died:
		cloud.diesAt = 0
		return true
	case <-over:
		return false
	}
}

func TestADeletionCancelsTheCreateAndTakesWhatItMade(t *testing.T) {
	cloud := aCloud()
	cloud.before["create"] = func(ctx context.Context) error {
		<-ctx.Done()
		cloud.instances["acme:///i-9"] = "web-0"
		return ctx.Err()
	}
	b := bridgeOf(t, cloud, withMachines())
	b.limits.answer = time.Millisecond
	came, err := b.createInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), `"outcome":"pending"`)
	b.limits.answer = 10 * time.Minute
	came, err = b.deleteInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), `"outcome":"deleted"`, `"isFound":true`)
	if len(cloud.instances) != 0 {
		t.Errorf("left: %v", cloud.instances)
	}
}

func TestADriverThatPanicsOrBlocksIsAFailure(t *testing.T) {
	cloud := aCloud()
	cloud.before["create"] = func(context.Context) error { panic("nil map") }
	b := bridgeOf(t, cloud, withMachines())
	came, err := b.createInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), `"code":"Internal"`, "the driver panicked: nil map")
	never := make(chan struct{})
	defer close(never)
	cloud.before["status"] = func(context.Context) error { <-never; return errors.New("over") }
	b.limits.read = time.Millisecond
	came, err = b.describeInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), `"code":"DeadlineExceeded"`)
}

func TestADeletionTakesItsOwnOnly(t *testing.T) {
	type row struct {
		name       string
		machines   []map[string]any
		instances  map[string]string
		providerID string
		came, left string
	}
	for _, row := range []row{
		{"all of one name", nil, map[string]string{"a:///1": "web-0", "a:///2": "web-0"}, "", `"isFound":true`, "map[]"},
		{"another's by its providerID", nil, map[string]string{"a:///1": "db-0"}, "a:///1", `"code":"FailedPrecondition"`, "map[a:///1:db-0]"},
		{"of a Machine that lives", []map[string]any{aMachine("web-0", "uid-1", "a:///1", nil)}, map[string]string{"a:///1": "web-0"}, "a:///1", "is not being deleted", "map[a:///1:web-0]"},
		{"of a Machine that goes", []map[string]any{aMachine("web-0", "uid-1", "a:///1", beingDeleted)}, map[string]string{"a:///1": "web-0"}, "a:///1", `"isFound":true`, "map[]"},
		{"claimed by another Machine", []map[string]any{aMachine("web-1", "uid-2", "a:///1", nil)}, map[string]string{"a:///1": "web-0"}, "", `"isFound":false`, "map[a:///1:web-0]"},
	} {
		cloud := aCloud()
		cloud.instances = row.instances
		b := bridgeOf(t, cloud, withMachines(row.machines...))
		request := aRequest()
		request.ProviderID = row.providerID
		came, err := b.deleteInstance(context.Background(), request)
		expect(t, row.name+": "+answered(t, came, err), row.came)
		if left := fmt.Sprint(cloud.instances); left != row.left {
			t.Errorf("%s: left %s and not %s", row.name, left, row.left)
		}
	}
	forged := aRequest()
	forged.Token = "uid-2-0"
	b := bridgeOf(t, aCloud(), withMachines())
	came, err := b.deleteInstance(context.Background(), forged)
	expect(t, answered(t, came, err), `"code":"FailedPrecondition"`)
}

func TestADeletionThatWasOnlyAcceptedIsPending(t *testing.T) {
	cloud := aCloud()
	cloud.instances["a:///1"] = "web-0"
	cloud.before["delete"] = fails(codes.NotFound, "says the driver, and is wrong")
	b := bridgeOf(t, cloud, withMachines())
	came, err := b.deleteInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), `"outcome":"pending"`, "still there")
	delete(cloud.before, "delete")
	came, err = b.deleteInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), `"outcome":"deleted"`, `"isFound":true`)
}

func TestWhatIsListedIsDeletedUnlessAMachineHasIt(t *testing.T) {
	cloud := aCloud()
	cloud.instances["a:///1"], cloud.instances["a:///2"] = "web-0", "web-1"
	b := bridgeOf(t, cloud, withMachines(aMachine("web-1", "uid-2", "a:///2", nil)))
	for id, wanted := range map[string]string{
		"a:///1": `"isFound":true`, "a:///2": `"isSettled":true`, "a:///3": `"isFound":false`,
	} {
		came, err := b.deleteListed(context.Background(), classRequest{"shoot", "small", id})
		expect(t, answered(t, came, err), wanted)
	}
	if left := fmt.Sprint(cloud.instances); left != "map[a:///2:web-1]" {
		t.Error(left)
	}
}

func TestNothingIsMadeWhileStoppedOrWithoutAWatcher(t *testing.T) {
	there := withMachines()
	there[stopPath] = map[string]any{"data": map[string]string{"reason": "wrong disks"}}
	b := bridgeOf(t, aCloud(), there)
	came, err := b.createInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), "exception stopped by ConfigMap shoot/millwright-stop: wrong disks")
	there = withMachines()
	delete(there, leasePath)
	came, err = bridgeOf(t, aCloud(), there).createInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), "exception no watcher holds the Lease")
}

func TestAClassThatIsNotThereIsNamed(t *testing.T) {
	there := withMachines()
	delete(there, classPath)
	came, err := bridgeOf(t, aCloud(), there).createInstance(context.Background(), aRequest())
	expect(t, answered(t, came, err), `"code":"InvalidArgument"`, `MachineClass \"small\" does not exist`, `"isUnsent":true`)
}

func TestTheDriverGetsFilledUserData(t *testing.T) {
	there := withMachines()
	there[tokenPath] = map[string]any{
		"metadata": map[string]any{"creationTimestamp": "2026-01-01T00:00:00Z"},
		// "secret", and 2999-01-01T00:00:00Z.
		"data": map[string]string{"token-secret": "c2VjcmV0", "expiration": "Mjk5OS0wMS0wMVQwMDowMDowMFo="},
	}
	b := bridgeOf(t, aCloud(), there)
	request := aRequest()
	request.BootstrapTokenID = "abcdef"
	_, secret, err := b.cluster.class(context.Background(), "shoot", "small")
	if err != nil {
		t.Fatal(err)
	}
	full, err := b.cluster.filled(context.Background(), secret, request)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, string(full.Data["userData"]), "join abcdef.secret as web-0")
	expect(t, string(fill([]byte("a%3C%3CMACHINE_NAME%3E%3E"), "<<MACHINE_NAME>>", "x/y")), "ax%2Fy")
	request.BootstrapTokenID = "fedcba"
	came, err := b.createInstance(context.Background(), request)
	expect(t, answered(t, came, err), `"code":"Unavailable"`, `"isSettled":false`)
}
