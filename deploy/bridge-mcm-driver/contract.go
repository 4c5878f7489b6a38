package bridge

import corev1 "k8s.io/api/core/v1"

// The contract of workflows/contracts/driver.schema.json, version 2. Unknown fields are ignored.

type objectReference struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

type nodeTemplate struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	Taints      []corev1.Taint    `json:"taints"`
}

type driverRequest struct {
	Machine          objectReference `json:"machine"`
	ClassName        string          `json:"className"`
	Token            string          `json:"token"`
	ProviderID       string          `json:"providerID"`
	BootstrapTokenID string          `json:"bootstrapTokenId"`
	LastKnownState   string          `json:"lastKnownState"`
	Checkpoint       string          `json:"checkpoint"`
	NodeTemplate     nodeTemplate    `json:"nodeTemplate"`
	IsRetry          bool            `json:"isRetry"`
}

// Of validateClass, listInstances and deleteListed; the last one alone has a providerID.
type classRequest struct {
	Namespace  string `json:"namespace"`
	ClassName  string `json:"className"`
	ProviderID string `json:"providerID"`
}

type volumesRequest struct {
	Volumes []*corev1.PersistentVolumeSpec `json:"volumes"`
}

type instance struct {
	ProviderID string `json:"providerID"`
	NodeName   string `json:"nodeName"`
}

type createdInstance struct {
	instance
	LastKnownState string               `json:"lastKnownState,omitempty"`
	Addresses      []corev1.NodeAddress `json:"addresses,omitempty"`
	IsFound        bool                 `json:"isFound"`
}

type listedInstance struct {
	ProviderID  string `json:"providerID"`
	MachineName string `json:"machineName"`
}

type created struct {
	Outcome  string          `json:"outcome"`
	Instance createdInstance `json:"instance"`
}

type found struct {
	Outcome  string   `json:"outcome"`
	Instance instance `json:"instance"`
}

type missing struct {
	Outcome       string `json:"outcome"`
	SettleSeconds int    `json:"settleSeconds"`
}

type deleted struct {
	Outcome       string `json:"outcome"`
	IsFound       bool   `json:"isFound"`
	SettleSeconds int    `json:"settleSeconds"`
}

type listed struct {
	Outcome   string           `json:"outcome"`
	Instances []listedInstance `json:"instances"`
}

type validated struct {
	Outcome string   `json:"outcome"`
	Faults  []string `json:"faults"`
}

type volumeIDs struct {
	VolumeIDs []string `json:"volumeIds"`
}

type pending struct {
	Outcome          string `json:"outcome"`
	Message          string `json:"message"`
	PollAfterSeconds int    `json:"pollAfterSeconds"`
	Checkpoint       string `json:"checkpoint,omitempty"`
}

type failed struct {
	Outcome string   `json:"outcome"`
	Failure *failure `json:"failure"`
}

// A failure is an answer. Any other error is an exception, which Temporal tries again.
type failure struct {
	Code         string `json:"code"`
	Message      string `json:"message"`
	IsSettled    bool   `json:"isSettled"`
	IsUnsent     bool   `json:"isUnsent,omitempty"`
	Kind         string `json:"kind,omitempty"`
	WasCancelled bool   `json:"wasCancelled,omitempty"`
	During       string `json:"during,omitempty"`
}

func (f *failure) Error() string { return f.Code + ": " + f.Message }

func waits(message string, seconds int) pending {
	// It tells an earlier call: whoever gets it knows that a create may be under way.
	return pending{"pending", message, max(seconds, 1), "begun"}
}
