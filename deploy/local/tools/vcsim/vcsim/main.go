// vcsim is the simulator of a vCenter from govmomi. Unlike the program of that name it refuses what
// has not the form of the API, and faults can be ordered from it over HTTP. For tests.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"

	"github.com/vmware/govmomi/simulator"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address")
	user := flag.String("user", "user", "name of the only user")
	password := flag.String("password", "pass", "password of the only user")
	flag.Parse()
	if err := run(*listen, url.UserPassword(*user, *password)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run prints the URL, and returns when standard input ends, as it does with the process of the test.
func run(listen string, user *url.Userinfo) error {
	log.SetOutput(io.Discard)
	model := simulator.VPX()
	model.Pod = 1
	model.Machine = 1
	defer model.Remove()
	if err := model.Create(); err != nil {
		return fmt.Errorf("making the inventory: %w", err)
	}
	model.Service.Listen = &url.URL{Host: "127.0.0.1:0", User: user}
	inner := model.Service.NewServer()
	defer inner.Close()

	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	rules := newRules(model.Service)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /rules", rules.add)
	mux.HandleFunc("DELETE /rules", rules.clear)
	mux.Handle("/", refusing(rules.wrap(model.Service.ServeMux)))
	fmt.Printf("http://%s/sdk\n", listener.Addr())
	go func() { _ = http.Serve(listener, mux) }()
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
