package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// rule orders what becomes of calls of a method.
type rule struct {
	Method string `json:"method"`
	// Fault is the name of a fault of the API. Without it there is only the delay.
	Fault   string `json:"fault"`
	Message string `json:"message"`
	// InTask: the call begins a task, which fails, or without a fault is done and has done nothing.
	InTask bool `json:"inTask"`
	// Count is how often; 0 is always.
	Count int `json:"count"`
	// TaskMilliseconds is the time that each task takes from now on, those without a fault as well.
	TaskMilliseconds int `json:"taskMilliseconds"`
}

type rules struct {
	service *simulator.Service
	mutex   sync.Mutex
	inTasks []*rule
}

func newRules(service *simulator.Service) *rules {
	return &rules{service: service}
}

func (r *rules) add(response http.ResponseWriter, request *http.Request) {
	var one rule
	if err := json.NewDecoder(request.Body).Decode(&one); err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	if err := r.apply(&one); err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
	}
}

func (r *rules) apply(one *rule) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if one.TaskMilliseconds > 0 {
		// Without the hand-off of its lock an object can be read while its task runs.
		simulator.TaskDelay = simulator.DelayConfig{
			Delay:       one.TaskMilliseconds,
			MethodDelay: map[string]int{"LockHandoff": 0},
		}
	}
	fault, err := faultNamed(one.Fault)
	if err != nil {
		return err
	}
	if one.InTask {
		r.inTasks = append(r.inTasks, one)
		return nil
	}
	if fault == nil {
		return nil
	}
	r.service.AddFaultRule(&simulator.FaultInjectionRule{
		MethodName:  one.Method,
		ObjectType:  "*",
		ObjectName:  "*",
		Probability: 1,
		FaultType:   simulator.FaultTypeCustom,
		Message:     one.Message,
		Fault:       fault,
		MaxCount:    one.Count,
		Enabled:     true,
	})
	return nil
}

func (r *rules) clear(http.ResponseWriter, *http.Request) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.inTasks = nil
	r.service.ClearFaultRules()
	simulator.TaskDelay = simulator.DelayConfig{}
}

func faultNamed(name string) (types.BaseMethodFault, error) {
	if name == "" {
		return nil, nil
	}
	known, ok := types.TypeFunc()(name)
	if !ok {
		return nil, fmt.Errorf("there is no fault %q", name)
	}
	fault, ok := reflect.New(known).Interface().(types.BaseMethodFault)
	if !ok {
		return nil, fmt.Errorf("%q is not a fault", name)
	}
	return fault, nil
}

// wrap begins another task than the simulator's where that was ordered.
func (r *rules) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		request.Body = io.NopCloser(bytes.NewReader(body))
		start, err := methodIn(xml.NewDecoder(bytes.NewReader(body)))
		if err != nil {
			next.ServeHTTP(response, request)
			return
		}
		one := r.take(start.Name.Local)
		if one == nil {
			next.ServeHTTP(response, request)
			return
		}
		r.beginTask(response, one)
	})
}

func (r *rules) take(method string) *rule {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for i, one := range r.inTasks {
		if one.Method != method {
			continue
		}
		if one.Count == 1 {
			r.inTasks = append(r.inTasks[:i], r.inTasks[i+1:]...)
		} else if one.Count > 1 {
			one.Count--
		}
		return one
	}
	return nil
}

func (r *rules) beginTask(response http.ResponseWriter, one *rule) {
	fault, err := faultNamed(one.Fault)
	if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
		return
	}
	ctx := r.service.Context
	root := ctx.Map.Get(types.ManagedObjectReference{Type: "Folder", Value: "group-d1"})
	task := simulator.CreateTask(root, one.Method, func(task *simulator.Task) (types.AnyType, types.BaseMethodFault) {
		return nil, fault
	})
	reference := task.Run(ctx)
	// The simulator names the fault only; a vCenter has a sentence.
	for range 1_000 {
		if task.Info.CompleteTime != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if task.Info.Error != nil && one.Message != "" {
		task.Info.Error.LocalizedMessage = one.Message
	}
	response.Header().Set("Content-Type", "text/xml; charset=utf-8")
	fmt.Fprintf(response, `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><%sResponse xmlns="urn:vim25"><returnval type="Task">%s</returnval></%sResponse></soapenv:Body></soapenv:Envelope>`,
		one.Method, reference.Value, one.Method)
}
