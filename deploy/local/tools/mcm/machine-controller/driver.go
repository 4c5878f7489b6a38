package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/status"
	"k8s.io/apimachinery/pkg/util/uuid"
)

// Like the drivers of MCM for real clouds it knows nothing but names and the tags of the class.
type virtualDriver struct {
	address string
	client  *http.Client
}

// The fields of a providerSpec that the tests use.
type providerSpec struct {
	Zone string            `json:"zone"`
	Size string            `json:"size"`
	Tags map[string]string `json:"tags"`
}

type instance struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	ProviderID string            `json:"providerID"`
	Tags       map[string]string `json:"tags"`
}

func newDriver(address string) driver.Driver {
	return &virtualDriver{address: address, client: &http.Client{Timeout: time.Minute}}
}

func (d *virtualDriver) CreateMachine(ctx context.Context, request *driver.CreateMachineRequest) (*driver.CreateMachineResponse, error) {
	spec, err := specOf(request.MachineClass)
	if err != nil {
		return nil, err
	}
	body := map[string]any{
		"name":  request.Machine.Name,
		"token": string(uuid.NewUUID()),
		"zone":  orDefault(spec.Zone, "a"),
		"size":  orDefault(spec.Size, "small"),
		"tags":  spec.Tags,
	}
	var answer struct{ Instance instance }
	if err := d.call(ctx, http.MethodPost, "/instances", body, &answer); err != nil {
		return nil, err
	}
	return &driver.CreateMachineResponse{ProviderID: answer.Instance.ProviderID, NodeName: answer.Instance.Name}, nil
}

func (d *virtualDriver) InitializeMachine(context.Context, *driver.InitializeMachineRequest) (*driver.InitializeMachineResponse, error) {
	return nil, status.Error(codes.Unimplemented, "the virtual cloud has nothing to initialize")
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
	return &driver.GetMachineStatusResponse{ProviderID: found[0].ProviderID, NodeName: found[0].Name}, nil
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
	if machine.Spec.ProviderID == "" {
		return d.list(ctx, class, machine.Name)
	}
	parts := strings.Split(machine.Spec.ProviderID, "/")
	var answer struct{ Instance instance }
	err := d.call(ctx, http.MethodGet, "/instances/"+parts[len(parts)-1], nil, &answer)
	if isNotFound(err) {
		return nil, nil
	}
	return []instance{answer.Instance}, err
}

// With all tags of the class. A class without tags is refused: it would own every instance there is.
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
	request.Header.Set("Content-Type", "application/json")
	response, err := d.client.Do(request)
	if err != nil {
		return status.Error(codes.Unavailable, err.Error())
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return status.Error(codes.Unavailable, err.Error())
	}
	if response.StatusCode >= 300 {
		return errorOf(text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}

func errorOf(text []byte) error {
	var answer struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return status.Error(codes.Unknown, string(text))
	}
	return status.Error(codes.StringToCode(answer.Error.Code), answer.Error.Message)
}

func isNotFound(err error) bool {
	known, ok := status.FromError(err)
	return err != nil && ok && known.Code() == codes.NotFound
}

func specOf(class *v1alpha1.MachineClass) (*providerSpec, error) {
	spec := &providerSpec{}
	if err := json.Unmarshal(class.ProviderSpec.Raw, spec); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	if len(spec.Tags) == 0 {
		return nil, status.Error(codes.InvalidArgument, fmt.Sprintf("class %s: providerSpec.tags is empty", class.Name))
	}
	return spec, nil
}

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
