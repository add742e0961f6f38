package vector

func setAVX2(on bool) { AVX2 = on }
