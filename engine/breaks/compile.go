package breaks

import (
	"context"
	"errors"
)

// Compile checks a condition ("" is true) and splits it between the sides.
func Compile(ctx context.Context, sc Scope, sides []Side, condition string) (*Condition, error) {
	return nil, errors.New("conditions are not built yet")
}
