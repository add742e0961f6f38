#include "textflag.h"

// A row has 64 bytes: Units is 32.

// func addRowsAVX2(x *units, rows *int16, list *uint16, n int)
TEXT ·addRowsAVX2(SB), NOSPLIT, $0-32
	MOVQ    x+0(FP), DI
	MOVQ    rows+8(FP), SI
	MOVQ    list+16(FP), R8
	MOVQ    n+24(FP), CX
	VMOVDQU 0(DI), Y0
	VMOVDQU 32(DI), Y1

add:
	MOVWLZX (R8), AX
	SHLQ    $6, AX
	VPADDW  0(SI)(AX*1), Y0, Y0
	VPADDW  32(SI)(AX*1), Y1, Y1
	ADDQ    $2, R8
	DECQ    CX
	JNZ     add
	VMOVDQU Y0, 0(DI)
	VMOVDQU Y1, 32(DI)
	VZEROUPPER
	RET

// func scoreRowsAVX2(x *units, rows *int16, out *units, outputs *int32, n int)
TEXT ·scoreRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ    x+0(FP), DI
	MOVQ    rows+8(FP), SI
	MOVQ    out+16(FP), DX
	MOVQ    outputs+24(FP), R8
	MOVQ    n+32(FP), CX
	VMOVDQU 0(DI), Y0
	VMOVDQU 32(DI), Y1
	VMOVDQU 0(DX), Y2
	VMOVDQU 32(DX), Y3
	VPXOR   Y4, Y4, Y4

score:
	VPADDW       0(SI), Y0, Y5
	VPADDW       32(SI), Y1, Y6
	VPMAXSW      Y4, Y5, Y5
	VPMAXSW      Y4, Y6, Y6
	VPMADDWD     Y2, Y5, Y5
	VPMADDWD     Y3, Y6, Y6
	VPADDD       Y6, Y5, Y5
	VEXTRACTI128 $1, Y5, X6
	VPADDD       X6, X5, X5
	VPSHUFD      $0x4E, X5, X6
	VPADDD       X6, X5, X5
	VPSHUFD      $0xB1, X5, X6
	VPADDD       X6, X5, X5
	VMOVD        X5, (R8)
	ADDQ         $64, SI
	ADDQ         $4, R8
	DECQ         CX
	JNZ          score
	VZEROUPPER
	RET
