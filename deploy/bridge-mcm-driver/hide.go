package bridge

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Shorter ones stand in many texts by chance.
const shortestSecret = 6

const longestMessage = 2000

// A driver was written for a log, not for an answer that stands in a history: whatever of the Secret
// stands in its words is taken out, and so is each line of the user data.
func hide(text string, secret *corev1.Secret) string {
	if secret != nil {
		for _, one := range spellingsIn(secret.Data) {
			text = strings.ReplaceAll(text, one, "<hidden>")
		}
	}
	return strings.ToValidUTF8(text[:min(len(text), longestMessage)], "")
}

// The longest first: one that is part of another must not save the rest of that.
func spellingsIn(data map[string][]byte) []string {
	var all []string
	for key, value := range data {
		values := [][]byte{value}
		if key == userDataKey {
			values = append(values, bytes.Split(value, []byte("\n"))...)
		}
		for _, one := range values {
			if text := strings.TrimSpace(string(one)); len(text) >= shortestSecret {
				quoted, _ := json.Marshal(text)
				all = append(all, string(one), text, url.QueryEscape(text), string(quoted[1:len(quoted)-1]),
					base64.StdEncoding.EncodeToString(one))
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}
