// Package tokencache keeps the access token of an API and renews it when it has
// run out.
package tokencache

import (
	"errors"
	"sync"
)

// Token lets a client in for a number of calls.
type Token struct {
	Secret string
	Uses   int
}

// Source issues tokens; each one costs a round trip.
type Source interface {
	Issue() (Token, error)
}

// SourceFunc is a function as a Source.
type SourceFunc func() (Token, error)

// Issue calls f.
func (f SourceFunc) Issue() (Token, error) { return f() }

// Cache hands out a token that is good for one more call.
type Cache struct {
	source Source

	mu       sync.Mutex
	renewed  *sync.Cond
	renewing bool
	token    Token
	err      error
	renewals int
}

// NewCache returns an empty cache of tokens from source.
func NewCache(source Source) *Cache {
	c := &Cache{source: source}
	c.renewed = sync.NewCond(&c.mu)
	return c
}

// Get returns the secret for one call.
func (c *Cache) Get() (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.token.Uses == 0 {
		if c.renewing {
			c.renewed.Wait()
			if c.err != nil {
				return "", c.err
			}
			continue
		}
		if err := c.renew(); err != nil {
			return "", err
		}
	}
	c.token.Uses--
	return c.token.Secret, nil
}

// renew asks the source, without the lock, while others wait for the result. The
// caller holds mu.
func (c *Cache) renew() error {
	c.renewing = true
	c.mu.Unlock()
	token, err := c.source.Issue()
	if err == nil && token.Uses <= 0 {
		err = errors.New("the token is of no use")
	}
	c.mu.Lock()
	c.renewing = false
	c.err = err
	if err == nil {
		c.token = token
		c.renewals++
	}
	c.renewed.Broadcast()
	return err
}

// Renewals is how many tokens were issued.
func (c *Cache) Renewals() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.renewals
}
