#include "textflag.h"

// The functions for rows take 64 numbers of all rows, which are in Y0 to Y7, at a time. R9 has the bytes of a row, R10
// the offset of those in progress, DX where they are in x, BX in the table's first row.
#define BEGIN_ROWS \
	MOVQ x+0(FP), DI;       \
	MOVQ table+8(FP), SI;   \
	MOVQ list+16(FP), R8;   \
	MOVQ length+24(FP), CX; \
	MOVQ n+32(FP), R9;      \
	SHLQ $2, R9;            \
	XORQ R10, R10

#define BEGIN_CHUNK \
	LEAQ    (DI)(R10*1), DX; \
	LEAQ    (SI)(R10*1), BX; \
	VMOVUPS 0(DX), Y0;       \
	VMOVUPS 32(DX), Y1;      \
	VMOVUPS 64(DX), Y2;      \
	VMOVUPS 96(DX), Y3;      \
	VMOVUPS 128(DX), Y4;     \
	VMOVUPS 160(DX), Y5;     \
	VMOVUPS 192(DX), Y6;     \
	VMOVUPS 224(DX), Y7;     \
	XORQ    R11, R11

// The next row of the list, at AX.
#define NEXT_ROW \
	MOVWLZX (R8)(R11*2), AX; \
	IMULQ   R9, AX;          \
	ADDQ    BX, AX;          \
	INCQ    R11

#define FROM_ROW(place, sum) VADDPS place(AX), sum, sum

#define TO_ROW(place, x) \
	VADDPS  place(AX), x, Y8; \
	VMOVUPS Y8, place(AX)

// func sumRowsAVX2(x, table *float32, list *uint16, length, n int)
TEXT ·sumRowsAVX2(SB), NOSPLIT, $0-40
	BEGIN_ROWS

chunk:
	BEGIN_CHUNK

row:
	CMPQ R11, CX
	JGE  done
	NEXT_ROW
	FROM_ROW(0, Y0)
	FROM_ROW(32, Y1)
	FROM_ROW(64, Y2)
	FROM_ROW(96, Y3)
	FROM_ROW(128, Y4)
	FROM_ROW(160, Y5)
	FROM_ROW(192, Y6)
	FROM_ROW(224, Y7)
	JMP  row

done:
	VMOVUPS Y0, 0(DX)
	VMOVUPS Y1, 32(DX)
	VMOVUPS Y2, 64(DX)
	VMOVUPS Y3, 96(DX)
	VMOVUPS Y4, 128(DX)
	VMOVUPS Y5, 160(DX)
	VMOVUPS Y6, 192(DX)
	VMOVUPS Y7, 224(DX)
	ADDQ    $256, R10
	CMPQ    R10, R9
	JLT     chunk
	VZEROUPPER
	RET

// func addToRowsAVX2(x, table *float32, list *uint16, length, n int)
TEXT ·addToRowsAVX2(SB), NOSPLIT, $0-40
	BEGIN_ROWS

chunk:
	BEGIN_CHUNK

row:
	CMPQ R11, CX
	JGE  done
	NEXT_ROW
	TO_ROW(0, Y0)
	TO_ROW(32, Y1)
	TO_ROW(64, Y2)
	TO_ROW(96, Y3)
	TO_ROW(128, Y4)
	TO_ROW(160, Y5)
	TO_ROW(192, Y6)
	TO_ROW(224, Y7)
	JMP  row

done:
	ADDQ $256, R10
	CMPQ R10, R9
	JLT  chunk
	VZEROUPPER
	RET

// Y14 has zeros, Y15 ones in each lane.
#define ZERO_AND_ONE \
	VXORPS       Y14, Y14, Y14; \
	MOVL         $0x3F800000, AX; \
	VMOVD        AX, X15;       \
	VPBROADCASTD X15, Y15

// func outputAVX2(s0, s1, w2 *float32, n int, sums *[8]float32)
TEXT ·outputAVX2(SB), NOSPLIT, $0-40
	MOVQ s0+0(FP), SI
	MOVQ s1+8(FP), DI
	MOVQ w2+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ sums+32(FP), BX
	SHLQ $2, CX
	XORQ R10, R10
	ZERO_AND_ONE
	VXORPS Y0, Y0, Y0

eight:
	VMOVUPS (SI)(R10*1), Y1
	VMOVUPS (DI)(R10*1), Y2
	VMAXPS  Y14, Y1, Y1
	VMAXPS  Y14, Y2, Y2
	VMINPS  Y15, Y1, Y1
	VMINPS  Y15, Y2, Y2
	VADDPS  Y2, Y1, Y1
	VMULPS  (DX)(R10*1), Y1, Y1
	VADDPS  Y1, Y0, Y0
	ADDQ    $32, R10
	CMPQ    R10, CX
	JLT     eight
	VMOVUPS Y0, (BX)
	VZEROUPPER
	RET

// func outputGradientAVX2(s0, s1, w2, gradBias, gradOut *float32, n int, residual float32)
TEXT ·outputGradientAVX2(SB), NOSPLIT, $0-52
	MOVQ s0+0(FP), SI
	MOVQ s1+8(FP), DI
	MOVQ w2+16(FP), DX
	MOVQ gradBias+24(FP), R8
	MOVQ gradOut+32(FP), R9
	MOVQ n+40(FP), CX
	SHLQ $2, CX
	XORQ R10, R10
	ZERO_AND_ONE
	VBROADCASTSS residual+48(FP), Y13

eight:
	VMOVUPS (SI)(R10*1), Y1
	VMOVUPS (DI)(R10*1), Y2
	VMAXPS  Y14, Y1, Y3
	VMAXPS  Y14, Y2, Y4
	VMINPS  Y15, Y3, Y3
	VMINPS  Y15, Y4, Y4
	VADDPS  Y4, Y3, Y3
	VMULPS  Y3, Y13, Y3
	VADDPS  (R9)(R10*1), Y3, Y3
	VMOVUPS Y3, (R9)(R10*1)

	// the slopes are 1 between 0 and 1
	VMULPS  (DX)(R10*1), Y13, Y5
	VCMPPS  $1, Y1, Y14, Y6      // 0 < s0
	VCMPPS  $1, Y15, Y1, Y7      // s0 < 1
	VANDPS  Y6, Y7, Y6
	VANDPS  Y5, Y6, Y1
	VCMPPS  $1, Y2, Y14, Y6
	VCMPPS  $1, Y15, Y2, Y7
	VANDPS  Y6, Y7, Y6
	VANDPS  Y5, Y6, Y2
	VMOVUPS Y1, (SI)(R10*1)
	VMOVUPS Y2, (DI)(R10*1)
	VADDPS  Y2, Y1, Y1
	VADDPS  (R8)(R10*1), Y1, Y1
	VMOVUPS Y1, (R8)(R10*1)
	ADDQ    $32, R10
	CMPQ    R10, CX
	JLT     eight
	VZEROUPPER
	RET

// func adamAVX2(x, mean, square, bound *float32, gradients *[4]*float32, n int, shrink, beta1, beta2, rate, correction, epsilon float32)
TEXT ·adamAVX2(SB), NOSPLIT, $0-72
	MOVQ x+0(FP), DI
	MOVQ mean+8(FP), SI
	MOVQ square+16(FP), DX
	MOVQ bound+24(FP), BX
	MOVQ gradients+32(FP), AX
	MOVQ n+40(FP), CX
	MOVQ 0(AX), R8
	MOVQ 8(AX), R9
	MOVQ 16(AX), R11
	MOVQ 24(AX), R12
	SHLQ $2, CX
	XORQ R10, R10
	VXORPS       Y14, Y14, Y14
	VBROADCASTSS shrink+48(FP), Y13
	VBROADCASTSS beta1+52(FP), Y12
	VBROADCASTSS beta2+56(FP), Y11
	VBROADCASTSS rate+60(FP), Y10
	VBROADCASTSS correction+64(FP), Y9
	VBROADCASTSS epsilon+68(FP), Y8

eight:
	VMOVUPS (R8)(R10*1), Y0
	VADDPS  (R9)(R10*1), Y0, Y0
	VADDPS  (R11)(R10*1), Y0, Y0
	VADDPS  (R12)(R10*1), Y0, Y0
	VMOVUPS Y14, (R8)(R10*1)
	VMOVUPS Y14, (R9)(R10*1)
	VMOVUPS Y14, (R11)(R10*1)
	VMOVUPS Y14, (R12)(R10*1)

	// the running means
	VMOVUPS (SI)(R10*1), Y1
	VSUBPS  Y1, Y0, Y2
	VMULPS  Y12, Y2, Y2
	VADDPS  Y2, Y1, Y1
	VMOVUPS Y1, (SI)(R10*1)
	VMOVUPS (DX)(R10*1), Y3
	VMULPS  Y0, Y0, Y2
	VSUBPS  Y3, Y2, Y2
	VMULPS  Y11, Y2, Y2
	VADDPS  Y2, Y3, Y3
	VMOVUPS Y3, (DX)(R10*1)

	// the decay and the step
	VMOVUPS (DI)(R10*1), Y0
	VMULPS  Y0, Y13, Y2
	VSUBPS  Y2, Y0, Y0
	VMULPS  Y10, Y1, Y1
	VMULPS  Y9, Y3, Y3
	VSQRTPS Y3, Y3
	VADDPS  Y8, Y3, Y3
	VDIVPS  Y3, Y1, Y1
	VSUBPS  Y1, Y0, Y0
	VMOVUPS (BX)(R10*1), Y2
	VMINPS  Y2, Y0, Y0
	VSUBPS  Y2, Y14, Y2
	VMAXPS  Y2, Y0, Y0
	VMOVUPS Y0, (DI)(R10*1)
	ADDQ    $32, R10
	CMPQ    R10, CX
	JLT     eight
	VZEROUPPER
	RET
