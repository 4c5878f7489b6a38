package bridge

import (
	"bufio"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"
)

const (
	encrypted = "binary/encrypted"
	keyID     = "encryption-key-id"
)

// payloadCodec reads and writes payloads as Millwright encrypts them with --payload-keys: AES-256-GCM. The first key encrypts.
type payloadCodec struct {
	first string
	keys  map[string]cipher.AEAD
}

func withPayloadKeys(options *client.Options, path string) error {
	codec, err := readKeys(path)
	if err != nil {
		return err
	}
	options.DataConverter = converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec)
	if codec.first != "" {
		// Messages of failures are encrypted as well.
		options.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
			DataConverter:          options.DataConverter,
			EncodeCommonAttributes: true,
		})
	}
	return nil
}

// A key on each line: its id, a blank, and 32 bytes in base64.
func readKeys(path string) (*payloadCodec, error) {
	codec := &payloadCodec{keys: map[string]cipher.AEAD{}}
	if path == "" {
		return codec, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("MILLWRIGHT_PAYLOAD_KEYS: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		parts := strings.Fields(lines.Text())
		if len(parts) == 0 || strings.HasPrefix(parts[0], "#") {
			continue
		}
		// Never the line itself: it is a key.
		wrong := fmt.Errorf("MILLWRIGHT_PAYLOAD_KEYS: line %d of %s is not an id, a blank, and 32 bytes in base64", number, path)
		if len(parts) != 2 {
			return nil, wrong
		}
		key, err := base64.StdEncoding.DecodeString(parts[1])
		if err != nil || len(key) != 32 {
			return nil, wrong
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, wrong
		}
		if codec.keys[parts[0]], err = cipher.NewGCM(block); err != nil {
			return nil, wrong
		}
		codec.first = orDefault(codec.first, parts[0])
	}
	return codec, lines.Err()
}

func (c *payloadCodec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return each(payloads, c.encrypt)
}

func (c *payloadCodec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return each(payloads, c.decrypt)
}

func each(payloads []*commonpb.Payload, change func(*commonpb.Payload) (*commonpb.Payload, error)) ([]*commonpb.Payload, error) {
	changed := make([]*commonpb.Payload, len(payloads))
	for index, one := range payloads {
		var err error
		if changed[index], err = change(one); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

func (c *payloadCodec) encrypt(payload *commonpb.Payload) (*commonpb.Payload, error) {
	if c.first == "" {
		return payload, nil
	}
	key := c.keys[c.first]
	plain, err := proto.Marshal(payload)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, key.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	metadata := map[string][]byte{"encoding": []byte(encrypted), keyID: []byte(c.first)}
	return &commonpb.Payload{Metadata: metadata, Data: key.Seal(nonce, nonce, plain, nil)}, nil
}

func (c *payloadCodec) decrypt(payload *commonpb.Payload) (*commonpb.Payload, error) {
	if string(payload.Metadata["encoding"]) != encrypted {
		return payload, nil
	}
	id := string(payload.Metadata[keyID])
	key, isKnown := c.keys[id]
	if !isKnown || len(payload.Data) < key.NonceSize() {
		return nil, fmt.Errorf("a payload is encrypted with the key %q, which this bridge lacks: name the file that watcher and worker have in MILLWRIGHT_PAYLOAD_KEYS", id)
	}
	nonce, data := payload.Data[:key.NonceSize()], payload.Data[key.NonceSize():]
	plain, err := key.Open(nil, nonce, data, nil)
	if err != nil {
		return nil, fmt.Errorf("a payload that the key %q encrypted cannot be read: %w", id, err)
	}
	decrypted := &commonpb.Payload{}
	return decrypted, proto.Unmarshal(plain, decrypted)
}
