// A bridge for the virtual cloud of the local stack: what a main.go of an MCM driver looks like.
package main

import (
	"os"

	bridge "millwright.dev/bridge-mcm-driver"
)

func main() {
	bridge.Main(newDriver(os.Getenv("MILLWRIGHT_VIRTUAL_CLOUD")), bridge.Options{
		// The virtual cloud lists at once what it made; this covers a request that is still on its way.
		SettleSeconds:  1,
		CallsPerSecond: 50,
		Validate:       faultsOf,
	})
}
