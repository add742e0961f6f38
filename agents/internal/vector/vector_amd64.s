#include "go_asm.h"
#include "textflag.h"

// The functions for rows take all rows 256 bytes at a time, in Y0 to Y7, then the rest 64 or 128 bytes at a time. R9
// has the bytes of a row, R10 the offset of those in progress, DX where they are in x, BX in the table's first row.
#define BEGIN_ROWS(log) \
	MOVQ x+0(FP), DI;       \
	MOVQ table+8(FP), SI;   \
	MOVQ list+16(FP), R8;   \
	MOVQ length+24(FP), CX; \
	MOVQ n+32(FP), R9;      \
	SHLQ $log, R9;            \
	MOVQ R9, R12; \
	ANDQ $-256, R12; \
	XORQ R10, R10

// The next bytes of x and of the table.
#define BEGIN_CHUNK \
	LEAQ (DI)(R10*1), DX; \
	LEAQ (SI)(R10*1), BX; \
	XORQ R11, R11

// The next row of the list, at AX.
#define NEXT_ROW \
	MOVWLZX (R8)(R11*2), AX; \
	IMULQ   R9, AX;          \
	ADDQ    BX, AX;          \
	INCQ    R11

#define LOAD(place, y) VMOVUPS place(DX), y
#define STORE(place, y) VMOVUPS y, place(DX)
#define FOUR(DO, first) \
	DO(first, Y0); \
	DO(first+32, Y1); \
	DO(first+64, Y2); \
	DO(first+96, Y3)
#define EIGHT(DO) \
	FOUR(DO, 0); \
	DO(128, Y4); \
	DO(160, Y5); \
	DO(192, Y6); \
	DO(224, Y7)

#define WORDS(place, sum) VPADDW place(AX), sum, sum
#define FLOATS(place, sum) VADDPS place(AX), sum, sum
#define TO_ROW(place, x) \
	VADDPS  place(AX), x, Y8; \
	VMOVUPS Y8, place(AX)

// func addRowsAVX2(x, table *int16, list *uint16, length, n int)
TEXT ·addRowsAVX2(SB), NOSPLIT, $0-40
	BEGIN_ROWS(1)
	JMP test

chunk:
	BEGIN_CHUNK
	EIGHT(LOAD)

row:
	NEXT_ROW
	EIGHT(WORDS)
	CMPQ R11, CX
	JLT  row
	EIGHT(STORE)
	ADDQ $256, R10

test:
	CMPQ R10, R12
	JLT  chunk
	JMP  testRest

rest:
	BEGIN_CHUNK
	LOAD(0, Y0)
	LOAD(32, Y1)

restRow:
	NEXT_ROW
	WORDS(0, Y0)
	WORDS(32, Y1)
	CMPQ R11, CX
	JLT  restRow
	STORE(0, Y0)
	STORE(32, Y1)
	ADDQ $64, R10

testRest:
	CMPQ R10, R9
	JLT  rest
	VZEROUPPER
	RET

// func outputsAVX2(outputs *int32, x, rows, weights *int16, length, n int, ceiling int16)
TEXT ·outputsAVX2(SB), NOSPLIT, $0-50
	MOVQ         outputs+0(FP), R8
	MOVQ         x+8(FP), DI
	MOVQ         rows+16(FP), SI
	MOVQ         weights+24(FP), DX
	MOVQ         length+32(FP), CX
	MOVQ         n+40(FP), R9
	VPBROADCASTW ceiling+48(FP), Y7
	SHLQ         $1, R9
	VPXOR        Y6, Y6, Y6

output:
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	XORQ  R10, R10

units:
	VMOVDQU  (DI)(R10*1), Y0
	VMOVDQU  32(DI)(R10*1), Y1
	VPADDW   (SI)(R10*1), Y0, Y0
	VPADDW   32(SI)(R10*1), Y1, Y1
	VPMAXSW  Y6, Y0, Y0
	VPMAXSW  Y6, Y1, Y1
	VPMINSW  Y7, Y0, Y0
	VPMINSW  Y7, Y1, Y1
	VPMADDWD (DX)(R10*1), Y0, Y0
	VPMADDWD 32(DX)(R10*1), Y1, Y1
	VPADDD   Y0, Y4, Y4
	VPADDD   Y1, Y5, Y5
	ADDQ     $64, R10
	CMPQ     R10, R9
	JLT      units

	// the sum of the lanes
	VPADDD       Y5, Y4, Y4
	VEXTRACTI128 $1, Y4, X5
	VPADDD       X5, X4, X4
	VPSHUFD      $0x4E, X4, X5
	VPADDD       X5, X4, X4
	VPSHUFD      $0xB1, X4, X5
	VPADDD       X5, X4, X4
	VMOVD        X4, (R8)
	ADDQ         R9, SI
	ADDQ         $4, R8
	DECQ         CX
	JNZ          output
	VZEROUPPER
	RET

// func addFloatRowsAVX2(x, table *float32, list *uint16, length, n int)
TEXT ·addFloatRowsAVX2(SB), NOSPLIT, $0-40
	BEGIN_ROWS(2)
	JMP test

chunk:
	BEGIN_CHUNK
	EIGHT(LOAD)

row:
	NEXT_ROW
	EIGHT(FLOATS)
	CMPQ R11, CX
	JLT  row
	EIGHT(STORE)
	ADDQ $256, R10

test:
	CMPQ R10, R12
	JLT  chunk
	JMP  testRest

rest:
	BEGIN_CHUNK
	FOUR(LOAD, 0)

restRow:
	NEXT_ROW
	FOUR(FLOATS, 0)
	CMPQ R11, CX
	JLT  restRow
	FOUR(STORE, 0)
	ADDQ $128, R10

testRest:
	CMPQ R10, R9
	JLT  rest
	VZEROUPPER
	RET

// func addToRowsAVX2(x, table *float32, list *uint16, length, n int)
TEXT ·addToRowsAVX2(SB), NOSPLIT, $0-40
	BEGIN_ROWS(2)
	JMP test

chunk:
	BEGIN_CHUNK
	EIGHT(LOAD)

row:
	NEXT_ROW
	EIGHT(TO_ROW)
	CMPQ R11, CX
	JLT  row
	ADDQ $256, R10

test:
	CMPQ R10, R12
	JLT  chunk
	JMP  testRest

rest:
	BEGIN_CHUNK
	FOUR(LOAD, 0)

restRow:
	NEXT_ROW
	FOUR(TO_ROW, 0)
	CMPQ R11, CX
	JLT  restRow
	ADDQ $128, R10

testRest:
	CMPQ R10, R9
	JLT  rest
	VZEROUPPER
	RET

// Y14 has zeros, Y15 ones in each lane.
#define ZERO_AND_ONE \
	VXORPS       Y14, Y14, Y14; \
	MOVL         $0x3F800000, AX; \
	VMOVD        AX, X15;       \
	VPBROADCASTD X15, Y15

// func outputAVX2(s0, s1, weights *float32, n int, sums *[8]float32)
TEXT ·outputAVX2(SB), NOSPLIT, $0-40
	MOVQ s0+0(FP), SI
	MOVQ s1+8(FP), DI
	MOVQ weights+16(FP), DX
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

// func outputGradientAVX2(s0, s1, weights, gradBias, gradWeights *float32, n int, residual float32)
TEXT ·outputGradientAVX2(SB), NOSPLIT, $0-52
	MOVQ s0+0(FP), SI
	MOVQ s1+8(FP), DI
	MOVQ weights+16(FP), DX
	MOVQ gradBias+24(FP), R8
	MOVQ gradWeights+32(FP), R9
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

// func adamAVX2(a *Adam, first, n int)
TEXT ·adamAVX2(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), AX
	MOVQ first+8(FP), R10
	MOVQ n+16(FP), CX
	ADDQ R10, CX
	SHLQ $2, R10
	MOVQ Adam_X(AX), DI
	MOVQ Adam_Mean(AX), SI
	MOVQ Adam_Square(AX), DX
	MOVQ Adam_Bound(AX), BX
	MOVQ Adam_Gradients+0(AX), R8
	MOVQ Adam_Gradients+24(AX), R9
	MOVQ Adam_Gradients+48(AX), R11
	MOVQ Adam_Gradients+72(AX), R12
	SHLQ $2, CX
	VXORPS       Y14, Y14, Y14
	VBROADCASTSS Adam_Shrink(AX), Y13
	VBROADCASTSS Adam_Beta1(AX), Y12
	VBROADCASTSS Adam_Beta2(AX), Y11
	VBROADCASTSS Adam_Rate(AX), Y10
	VBROADCASTSS Adam_Correction(AX), Y9
	VBROADCASTSS Adam_Epsilon(AX), Y8

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
