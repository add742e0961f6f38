package report

import "strings"

// paints are presentation attributes of classes: the colours of the light style sheet, which goes
// before them. Where a server's policy allows no style sheet, they are what is seen.
var paints = map[string]string{
	"grid":    `stroke="#ddd8cf"`,
	"zero":    `stroke="#545e68"`,
	"mark":    `stroke="#1d2329" stroke-dasharray="5 4"`,
	"whisker": `stroke="#0072b2" stroke-width="1.8"`,
	"dot":     `fill="#0072b2"`,
	"bar":     `fill="#0072b2"`,
	"tick":    `fill="#545e68" font-size="12"`,
	"name":    `fill="#545e68" font-size="12"`,
	"drawn":   `fill="#b9b4aa"`,
	"curve":   `fill="none" stroke-width="2"`,

	"k0": `stroke="#0072b2"`,
	"k1": `stroke="#d55e00" stroke-dasharray="8 3"`,
	"k2": `stroke="#00815d" stroke-dasharray="2 3"`,
	"k3": `stroke="#b34d86" stroke-dasharray="10 3 2 3"`,
	"k4": `stroke="#9a6c00" stroke-dasharray="14 4"`,
	"k5": `stroke="#2f93cc" stroke-dasharray="5 2 1 2"`,
	"k6": `stroke="#444b52" stroke-dasharray="4 2"`,
	"k7": `stroke="#7a4fa3" stroke-dasharray="12 2 2 2 2 2"`,

	"square":     `fill="#efe6d6" stroke="#cbbb9f"`,
	"square odd": `fill="#e7dcc8" stroke="#cbbb9f"`,
	"goal":       `fill="#efe6d6" stroke="#cbbb9f"`,
	"file":       `fill="#545e68"`,
	"row":        `fill="#545e68"`,
	"ring":       `fill="#8a5a2b" stroke="#3d2510"`,
	"ring top":   `fill="#c99a63" stroke="#3d2510"`,
	"height":     `fill="#3d2510" font-size="15"`,
	"from":       `fill="none" stroke="#0b6e8f" stroke-width="2"`,
	"bounced":    `fill="none" stroke="#0b6e8f" stroke-width="3"`,
	"path":       `fill="none" stroke="#0b6e8f" stroke-width="5"`,
	"droppath":   `stroke="#a3357a" stroke-width="3.5"`,
	"landed":     `fill="none" stroke="#a3357a" stroke-width="3"`,

	"paper": `fill="#fffefb"`,
}

// paint returns the attributes of an element with these classes.
func paint(classes string) string {
	if all, ok := paints[classes]; ok {
		return `class="` + classes + `" ` + all
	}
	// Otherwise each class adds its attributes.
	list := []string{`class="` + classes + `"`}
	for _, class := range strings.Fields(classes) {
		if attributes := paints[class]; attributes != "" {
			list = append(list, attributes)
		}
	}
	return strings.Join(list, " ")
}
