package bridge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
)

func keysOf(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const aKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

func TestPayloadsAreEncryptedWithTheFirstKeyAndDecryptedWithAny(t *testing.T) {
	before, err := readKeys(keysOf(t, "# keys\nk1 "+aKey+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	after, err := readKeys(keysOf(t, "k2 "+strings.Replace(aKey, "A", "B", 1)+"\nk1 "+aKey+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	plain := []*commonpb.Payload{{Data: []byte("canary")}}
	sealed, err := before.Encode(plain)
	if err != nil || strings.Contains(sealed[0].String(), "canary") || string(sealed[0].Metadata[keyID]) != "k1" {
		t.Fatalf("%v, %v", sealed, err)
	}
	opened, err := after.Decode(sealed)
	if err != nil || string(opened[0].Data) != "canary" {
		t.Fatalf("%v, %v", opened, err)
	}
	none, _ := readKeys("")
	if _, err := none.Decode(sealed); err == nil || !strings.Contains(err.Error(), "MILLWRIGHT_PAYLOAD_KEYS") {
		t.Error(err)
	}
	if _, err := readKeys(keysOf(t, "k1 short-canary")); err == nil || strings.Contains(err.Error(), "canary") {
		t.Error(err)
	}
}
