package bridge

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	typedmachine "github.com/gardener/machine-controller-manager/pkg/client/clientset/versioned/typed/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"go.temporal.io/sdk/temporal"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcoordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	machineFinalizer = "machine.sapcloud.io/machine-controller-manager"
	userDataKey      = "userData"
	// Clocks are compared here, so only coarsely. A watcher renews its Lease every 2 s.
	longestLeaseAge = time.Minute
)

// cluster reads what requests name: classes, Secrets, Machines, and whether anything may be done now. It writes nothing.
type cluster struct {
	machines typedmachine.MachineV1alpha1Interface
	core     typedcore.CoreV1Interface
	leases   typedcoordination.CoordinationV1Interface
	// Of the cluster whose Nodes the instances become.
	target typedcore.CoreV1Interface
	// Empty: Lease "millwright" of the request's namespace.
	leaseName, leaseNamespace string
}

func clusterFromEnvironment() (*cluster, error) {
	control, err := restConfig("KUBECONFIG")
	if err != nil {
		return nil, err
	}
	target := control
	if os.Getenv("MILLWRIGHT_TARGET_KUBECONFIG") != "" {
		if target, err = restConfig("MILLWRIGHT_TARGET_KUBECONFIG"); err != nil {
			return nil, err
		}
	}
	made, err := newCluster(control, target)
	if err != nil {
		return nil, err
	}
	made.leaseName, made.leaseNamespace = os.Getenv("MILLWRIGHT_LEASE_NAME"), os.Getenv("MILLWRIGHT_LEASE_NAMESPACE")
	return made, nil
}

// Without the variable: ~/.kube/config, or the pod's own.
func restConfig(variable string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	if path := os.Getenv(variable); path != "" {
		rules.Precedence = strings.Split(path, string(os.PathListSeparator))
	}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	config.Timeout = 30 * time.Second
	config.ContentType = "application/json"
	// A call reads four objects, and there are as many calls at once as there are slots.
	config.QPS, config.Burst = 100, 200
	return config, nil
}

func newCluster(control, target *rest.Config) (*cluster, error) {
	machines, err := typedmachine.NewForConfig(control)
	if err != nil {
		return nil, err
	}
	core, err := typedcore.NewForConfig(control)
	if err != nil {
		return nil, err
	}
	leases, err := typedcoordination.NewForConfig(control)
	if err != nil {
		return nil, err
	}
	targetCore, err := typedcore.NewForConfig(target)
	if err != nil {
		return nil, err
	}
	return &cluster{machines: machines, core: core, leases: leases, target: targetCore}, nil
}

// Nothing is created or deleted while a person has stopped everything, or while no watcher leads.
func (c *cluster) requireActiveWatcher(ctx context.Context, namespace string) error {
	stop, err := c.core.ConfigMaps(namespace).Get(ctx, "millwright-stop", metav1.GetOptions{})
	if err == nil {
		reason := orDefault(stop.Data["reason"], "no reason given")
		return notNow("Stopped", fmt.Sprintf("stopped by ConfigMap %s/millwright-stop: %s", namespace, reason))
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	name, from := orDefault(c.leaseName, "millwright"), orDefault(c.leaseNamespace, namespace)
	lease, err := c.leases.Leases(from).Get(ctx, name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	isHeld := err == nil && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "" && lease.Spec.RenewTime != nil
	if !isHeld || time.Since(lease.Spec.RenewTime.Time) > longestLeaseAge {
		return notNow("NoActiveWatcher", fmt.Sprintf("no watcher holds the Lease %q in namespace %s", name, from))
	}
	return nil
}

// An exception and no answer: Temporal asks again, and the core does not count it as a failure.
func notNow(kind, message string) error {
	return temporal.NewApplicationErrorWithOptions(message, kind, temporal.ApplicationErrorOptions{
		NextRetryDelay: 2*time.Second + rand.N(3*time.Second),
		Category:       temporal.ApplicationErrorCategoryBenign,
	})
}

// The class, and one Secret of both that it names: the driver gets it, and nobody else.
func (c *cluster) class(ctx context.Context, namespace, name string) (*v1alpha1.MachineClass, *corev1.Secret, error) {
	class, err := c.machines.MachineClasses(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil, refusal(codes.InvalidArgument, fmt.Sprintf("MachineClass %q does not exist in namespace %s: create it", name, namespace))
	}
	if err != nil {
		return nil, nil, err
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace}, Data: map[string][]byte{}}
	for _, ref := range []*corev1.SecretReference{class.SecretRef, class.CredentialsSecretRef} {
		if ref == nil || ref.Name == "" {
			continue
		}
		// Only of the class's own namespace, whatever the reference says.
		one, err := c.core.Secrets(namespace).Get(ctx, ref.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil, nil, refusal(codes.InvalidArgument, fmt.Sprintf("MachineClass %q: Secret %q does not exist in namespace %s", name, ref.Name, namespace))
		}
		if err != nil {
			return nil, nil, err
		}
		secret.Name = orDefault(secret.Name, one.Name)
		for key, value := range one.Data {
			secret.Data[key] = value
		}
	}
	return class, secret, nil
}

func (c *cluster) machinesIn(ctx context.Context, namespace string) ([]v1alpha1.Machine, error) {
	list, err := c.machines.Machines(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// The Machine as it is, for drivers that read its labels; nil where there is none of this life.
func (c *cluster) machine(ctx context.Context, ref objectReference) (*v1alpha1.Machine, error) {
	machine, err := c.machines.Machines(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || err == nil && string(machine.UID) != ref.UID {
		return nil, nil
	}
	return machine, err
}

// An instance that was found by its name alone may belong to another Machine than this one.
func claimsOf(machines []v1alpha1.Machine, uid string) map[string]bool {
	claims := map[string]bool{}
	for _, one := range machines {
		if string(one.UID) != uid && one.Spec.ProviderID != "" {
			claims[one.Spec.ProviderID] = true
		}
	}
	return claims
}

// Only what its Machine gives up, by its deletion, or what no Machine has. A request may be forged.
func requireDeletable(machines []v1alpha1.Machine, request driverRequest) error {
	ref := request.Machine
	own := slices.IndexFunc(machines, func(one v1alpha1.Machine) bool { return string(one.UID) == ref.UID })
	isNamed := slices.ContainsFunc(machines, func(one v1alpha1.Machine) bool { return one.Name == ref.Name })
	refused := refusal(codes.FailedPrecondition, fmt.Sprintf("the instance is not deleted: Machine %s is not being deleted", ref.Name))
	switch {
	case !strings.HasPrefix(request.Token, ref.UID+"-"):
		return refused
	case own < 0:
		// Of a Machine that lives under this name nothing is deleted by name alone.
		if isNamed && request.ProviderID == "" {
			return refused
		}
	case machines[own].Name != ref.Name:
		return refused
	case machines[own].DeletionTimestamp != nil && slices.Contains(machines[own].Finalizers, machineFinalizer):
	case machines[own].Spec.ProviderID != "" || request.ProviderID == "":
		return refused
	}
	if request.ProviderID != "" && claimsOf(machines, ref.UID)[request.ProviderID] {
		return refusal(codes.FailedPrecondition, fmt.Sprintf("the instance is not deleted: another Machine has %s", request.ProviderID))
	}
	return nil
}

// MCM's drivers take the user data as they stand in the Secret, with the places filled.
func (c *cluster) filled(ctx context.Context, secret *corev1.Secret, request driverRequest) (*corev1.Secret, error) {
	userData, isThere := secret.Data[userDataKey]
	if !isThere {
		return secret, nil
	}
	userData = fill(userData, "<<MACHINE_NAME>>", request.Machine.Name)
	if id := request.BootstrapTokenID; id != "" {
		token, err := c.bootstrapToken(ctx, id)
		if err != nil {
			return nil, err
		}
		userData = fill(userData, "<<BOOTSTRAP_TOKEN>>", id+"."+token)
	}
	full := secret.DeepCopy()
	full.Data[userDataKey] = userData
	return full, nil
}

// As MCM: where the literal place stands, all literal ones; otherwise all that are URL-escaped.
func fill(text []byte, place, value string) []byte {
	if bytes.Contains(text, []byte(place)) {
		return bytes.ReplaceAll(text, []byte(place), []byte(value))
	}
	return bytes.ReplaceAll(text, []byte(url.QueryEscape(place)), []byte(url.QueryEscape(value)))
}

// The core makes it anew before it asks again. An earlier call may have used it: nothing is settled.
func (c *cluster) bootstrapToken(ctx context.Context, id string) (string, error) {
	name := "bootstrap-token-" + id
	secret, err := c.target.Secrets(metav1.NamespaceSystem).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", refusal(codes.Unavailable, name+" was deleted before it was used")
	}
	if err != nil {
		return "", err
	}
	end, err := time.Parse(time.RFC3339, string(secret.Data["expiration"]))
	if err != nil {
		return "", refusal(codes.Unavailable, name+" does not say when it ends")
	}
	if time.Until(end) < end.Sub(secret.CreationTimestamp.Time)/4 {
		return "", refusal(codes.Unavailable, name+" ends before a Node could join with it")
	}
	return string(secret.Data["token-secret"]), nil
}

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
