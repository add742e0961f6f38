// Package lists has what package slices lacks.
package lists

// Map returns what f returns for each element of a list.
func Map[T, U any](list []T, f func(T) U) []U {
	made := make([]U, len(list))
	for i, x := range list {
		made[i] = f(x)
	}
	return made
}
