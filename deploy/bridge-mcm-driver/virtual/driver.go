package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
)

// Longer than the cloud takes, and shorter than the bridge waits for a search.
const callTimeout = 20 * time.Second

// virtualDriver knows nothing but names and the tags of the class, as MCM's drivers of real clouds do.
type virtualDriver struct {
	address string
	client  *http.Client
}

type providerSpec struct {
	Zone string            `json:"zone"`
	Size string            `json:"size"`
	Tags map[string]string `json:"tags"`
}

type instance struct {
	ID            string            `json:"id"`
	Name          string            `json:"name"`
	ProviderID    string            `json:"providerID"`
	Tags          map[string]string `json:"tags"`
	IsInitialized bool              `json:"isInitialized"`
}

var sizes = []string{"small", "medium", "large"}

func newDriver(address string) driver.Driver {
	return &virtualDriver{strings.TrimSuffix(address, "/"), &http.Client{Timeout: callTimeout}}
}

func (d *virtualDriver) CreateMachine(ctx context.Context, request *driver.CreateMachineRequest) (*driver.CreateMachineResponse, error) {
	spec, err := specOf(request.MachineClass)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(request.Secret.Data["userData"])
	template := request.Machine.Spec.NodeTemplateSpec
	body := map[string]any{
		"name":                request.Machine.Name,
		"token":               string(uuid.NewUUID()),
		"zone":                spec.Zone,
		"size":                spec.Size,
		"tags":                spec.Tags,
		"labels":              template.Labels,
		"taints":              slices.Concat([]corev1.Taint{}, template.Spec.Taints),
		"userDataDigest":      hex.EncodeToString(digest[:]),
		"needsInitialization": true,
	}
	var answer struct{ Instance instance }
	if err := d.call(ctx, http.MethodPost, "/instances", body, &answer); err != nil {
		return nil, err
	}
	return &driver.CreateMachineResponse{ProviderID: answer.Instance.ProviderID, NodeName: answer.Instance.Name}, nil
}

func (d *virtualDriver) InitializeMachine(ctx context.Context, request *driver.InitializeMachineRequest) (*driver.InitializeMachineResponse, error) {
	id := request.Machine.Spec.ProviderID
	if err := d.call(ctx, http.MethodPost, "/instances/"+lastPart(id)+"/initialize", nil, nil); err != nil {
		return nil, err
	}
	return &driver.InitializeMachineResponse{ProviderID: id, NodeName: request.Machine.Name}, nil
}

func (d *virtualDriver) DeleteMachine(ctx context.Context, request *driver.DeleteMachineRequest) (*driver.DeleteMachineResponse, error) {
	found, err := d.find(ctx, request.Machine, request.MachineClass)
	if err != nil {
		return nil, err
	}
	for _, one := range found {
		if err := d.call(ctx, http.MethodDelete, "/instances/"+one.ID, nil, nil); err != nil && !isNotFound(err) {
			return nil, err
		}
	}
	return &driver.DeleteMachineResponse{}, nil
}

func (d *virtualDriver) GetMachineStatus(ctx context.Context, request *driver.GetMachineStatusRequest) (*driver.GetMachineStatusResponse, error) {
	found, err := d.find(ctx, request.Machine, request.MachineClass)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, status.Error(codes.NotFound, "no instance of this machine")
	case len(found) > 1:
		return nil, status.Error(codes.OutOfRange, "several instances of this machine")
	}
	answer := &driver.GetMachineStatusResponse{ProviderID: found[0].ProviderID, NodeName: found[0].Name}
	if !found[0].IsInitialized {
		return answer, status.Error(codes.Uninitialized, "it was not initialised")
	}
	return answer, nil
}

func (d *virtualDriver) ListMachines(ctx context.Context, request *driver.ListMachinesRequest) (*driver.ListMachinesResponse, error) {
	found, err := d.list(ctx, request.MachineClass, "")
	if err != nil {
		return nil, err
	}
	machines := map[string]string{}
	for _, one := range found {
		machines[one.ProviderID] = one.Name
	}
	return &driver.ListMachinesResponse{MachineList: machines}, nil
}

func (d *virtualDriver) GetVolumeIDs(context.Context, *driver.GetVolumeIDsRequest) (*driver.GetVolumeIDsResponse, error) {
	return &driver.GetVolumeIDsResponse{}, nil
}

// By providerID, or by name where the Machine has none.
func (d *virtualDriver) find(ctx context.Context, machine *v1alpha1.Machine, class *v1alpha1.MachineClass) ([]instance, error) {
	id := machine.Spec.ProviderID
	if id == "" {
		return d.list(ctx, class, machine.Name)
	}
	if !strings.HasPrefix(id, "local:///") {
		return nil, status.Error(codes.InvalidArgument, fmt.Sprintf("providerID: %q is not of the form local:///ZONE/ID", id))
	}
	var answer struct{ Instance instance }
	err := d.call(ctx, http.MethodGet, "/instances/"+lastPart(id), nil, &answer)
	if isNotFound(err) {
		return nil, nil
	}
	return []instance{answer.Instance}, err
}

// With all tags of the class.
func (d *virtualDriver) list(ctx context.Context, class *v1alpha1.MachineClass, name string) ([]instance, error) {
	spec, err := specOf(class)
	if err != nil {
		return nil, err
	}
	query := url.Values{}
	for key, value := range spec.Tags {
		query.Add("tag", key+"="+value)
	}
	if name != "" {
		query.Set("name", name)
	}
	var answer struct{ Instances []instance }
	err = d.call(ctx, http.MethodGet, "/instances?"+query.Encode(), nil, &answer)
	return answer.Instances, err
}

func (d *virtualDriver) call(ctx context.Context, method, path string, body, answer any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, d.address+path, bytes.NewReader(content))
	if err != nil {
		return err
	}
	response, err := d.client.Do(request)
	if err != nil {
		return status.Error(codes.Unavailable, "virtual cloud: "+err.Error())
	}
	defer response.Body.Close()
	var parts struct {
		Error struct{ Code, Message string }
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(response.Body); err != nil {
		return status.Error(codes.Unavailable, "virtual cloud: "+err.Error())
	}
	if response.StatusCode < http.StatusMultipleChoices {
		if answer == nil {
			return nil
		}
		return json.Unmarshal(text.Bytes(), answer)
	}
	if err := json.Unmarshal(text.Bytes(), &parts); err != nil || parts.Error.Code == "" {
		return status.Error(codes.Unavailable, fmt.Sprintf("virtual cloud: status %d", response.StatusCode))
	}
	return status.Error(codes.StringToCode(parts.Error.Code), parts.Error.Message)
}

func isNotFound(err error) bool {
	var known *status.Status
	return errors.As(err, &known) && known.Code() == codes.NotFound
}

func lastPart(id string) string { return id[strings.LastIndex(id, "/")+1:] }

// A spec with faults is still good to search by, where its tags can be read.
func specOf(class *v1alpha1.MachineClass) (*providerSpec, error) {
	var tags struct {
		Tags map[string]string `json:"tags"`
	}
	if err := json.Unmarshal(class.ProviderSpec.Raw, &tags); err != nil {
		return nil, status.Error(codes.InvalidArgument, "providerSpec.tags: "+err.Error())
	}
	// Without tags it would own every instance there is.
	if len(tags.Tags) == 0 {
		return nil, status.Error(codes.InvalidArgument, "providerSpec.tags: is empty: give each namespace and cluster its own")
	}
	spec := &providerSpec{Zone: "a", Size: "small"}
	// What cannot be read is said by faultsOf, before anything is made.
	_ = json.Unmarshal(class.ProviderSpec.Raw, spec)
	spec.Tags = tags.Tags
	return spec, nil
}

func faultsOf(class *v1alpha1.MachineClass, _ *corev1.Secret) []string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(class.ProviderSpec.Raw, &fields); err != nil {
		return []string{"providerSpec: is not an object"}
	}
	var faults []string
	var zone, size string
	if value, isThere := fields["zone"]; isThere && json.Unmarshal(value, &zone) != nil {
		faults = append(faults, fmt.Sprintf("providerSpec.zone: %s is not a string: put it in quotes", value))
	}
	if value, isThere := fields["size"]; isThere && (json.Unmarshal(value, &size) != nil || !slices.Contains(sizes, size)) {
		faults = append(faults, fmt.Sprintf("providerSpec.size: %s is not one of %s", value, strings.Join(sizes, ", ")))
	}
	var tags map[string]string
	if json.Unmarshal(fields["tags"], &tags) != nil || len(tags) == 0 {
		faults = append(faults, "providerSpec.tags: wants at least one text by name, another in each namespace and cluster")
	}
	return faults
}
