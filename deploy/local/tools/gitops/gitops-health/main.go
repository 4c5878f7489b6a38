// gitops-health says of an object, as JSON on its standard input, what tools of GitOps make of it:
// kstatus, which Helm and Flux go by, and a health check of Argo CD, a script in Lua whose file is
// the argument. For tests.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type health struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: gitops-health SCRIPT.lua < OBJECT.json")
	}
	script, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	var object unstructured.Unstructured
	if err := json.NewDecoder(os.Stdin).Decode(&object); err != nil {
		return fmt.Errorf("reading the object: %w", err)
	}
	found, err := status.Compute(&object)
	if err != nil {
		return fmt.Errorf("kstatus: %w", err)
	}
	argo, err := runScript(string(script), object.Object)
	if err != nil {
		return fmt.Errorf("the script: %w", err)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]health{
		"kstatus": {string(found.Status), found.Message},
		"argocd":  argo,
	})
}

// runScript gives a script what Argo CD gives it: the table obj, and no library but these.
func runScript(script string, object map[string]any) (health, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	libraries := map[string]lua.LGFunction{
		lua.LoadLibName: lua.OpenPackage,
		lua.BaseLibName: lua.OpenBase,
		lua.TabLibName:  lua.OpenTable,
	}
	for _, name := range []string{lua.LoadLibName, lua.BaseLibName, lua.TabLibName} {
		call := lua.P{Fn: state.NewFunction(libraries[name]), NRet: 0, Protect: true}
		if err := state.CallByParam(call, lua.LString(name)); err != nil {
			return health{}, err
		}
	}
	state.SetGlobal("obj", valueOf(state, object))
	if err := state.DoString(script); err != nil {
		return health{}, err
	}
	answer, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return health{}, fmt.Errorf("it returned %s instead of a table", state.Get(-1).Type())
	}
	return health{
		Status:  lua.LVAsString(answer.RawGetString("status")),
		Message: lua.LVAsString(answer.RawGetString("message")),
	}, nil
}

func valueOf(state *lua.LState, value any) lua.LValue {
	switch found := value.(type) {
	case string:
		return lua.LString(found)
	case bool:
		return lua.LBool(found)
	case int64:
		return lua.LNumber(found)
	case float64:
		return lua.LNumber(found)
	case []any:
		list := state.NewTable()
		for _, item := range found {
			list.Append(valueOf(state, item))
		}
		return list
	case map[string]any:
		table := state.NewTable()
		for key, item := range found {
			table.RawSetString(key, valueOf(state, item))
		}
		return table
	default:
		return lua.LNil
	}
}
